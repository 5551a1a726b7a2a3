// @ts-check
// Who looks at this page: a visitor, a player with a token, or the teacher; and what server this is.
import { call, get, post } from "./api.js";

/** @typedef {import("./types.js").Session} Session */
/** @typedef {import("./types.js").About} About */

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

export const session = Object.assign(new EventTarget(), {
  /** @type {Session} */
  now: { role: "visitor", player: null },
});

/** @param {Session | null} value */
function became(value) {
  session.now = value ?? { role: "visitor", player: null };
  session.dispatchEvent(new Event("change"));
}

export async function loadSession() {
  became(await get("/session").catch(() => null));
}

/** @param {{token: string} | {key: string}} secret Raises ApiError. */
export async function signIn(secret) {
  became(await post("/session", secret));
}

export async function signOut() {
  await call("DELETE", "/session");
  became(null);
}
