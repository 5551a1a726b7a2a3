// @ts-check
// Who looks at this page: a visitor, a player with a token, or the teacher; and what server this is.
import { asks, call, get, post, refused } from "./api.js";
/** @import { About, Session } from "./types.js" */

/** @type {Promise<About> | null} */
let asked = null;

/** What this server is; asked once. @returns {Promise<About>} */
export function about() {
  asked ??= get("/about").catch((error) => {
    asked = null;
    throw error;
  });
  return /** @type {Promise<About>} */ (asked);
}

/** @type {Session} */
const VISITOR = { role: "visitor", player: null, teacher: "", runs: false };

export const session = Object.assign(new EventTarget(), {
  /** @type {Session} */
  now: VISITOR,
});

/** @param {Session | null} value */
function became(value) {
  asking++;
  asks.hidden = false;
  session.now = value ?? VISITOR;
  session.dispatchEvent(new Event("change"));
}

let asking = 0;

/** Asks the server who is signed in here. */
export async function loadSession() {
  const mine = ++asking;
  const now = await get("/session").catch(() => session.now);
  // Who signed in or out meanwhile knows better.
  if (mine !== asking) return;
  if (JSON.stringify(now) !== JSON.stringify(session.now)) became(now);
}

// The cookie is the browser's: signing in or out in one tab does so in all of them.
const tabs = new BroadcastChannel("palestra-session");
tabs.addEventListener("message", loadSession);
// And a cookie may end by itself, or with the token that it was given for.
refused.addEventListener("refused", () => {
  if (session.now.role !== "visitor") loadSession();
});

/** @param {{token: string} | {key: string}} secret Raises ApiError. */
export async function signIn(secret) {
  became(await post("/session", secret));
  tabs.postMessage(null);
}

export async function signOut() {
  await call("DELETE", "/session");
  became(null);
  tabs.postMessage(null);
}
