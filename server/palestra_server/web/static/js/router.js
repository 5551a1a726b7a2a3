// @ts-check
// From the address to the page: /match/ab12?ply=7 is the page <page-match> with {id: "ab12", ply: "7"}. The server
// answers every such address with the same index.html.
import { go } from "./addresses.js";
import { unreached } from "./parts/unreached.js";

/** @type {[RegExp, string, () => Promise<unknown>][]} */
const ROUTES = [
  [/^\/$/, "page-lobby", () => import("./pages/lobby.js")],
  [/^\/match\/(?<id>[^/]+)\/?$/, "page-match", () => import("./pages/match.js")],
  [/^\/tournaments\/?$/, "page-tournaments", () => import("./pages/tournaments.js")],
  [/^\/tournament\/(?<name>[^/]+)\/?$/, "page-tournament", () => import("./pages/tournament.js")],
  [/^\/players\/?$/, "page-players", () => import("./pages/players.js")],
  [/^\/player\/(?<name>[^/]+)\/?$/, "page-player", () => import("./pages/player.js")],
  [/^\/play\/?$/, "page-play", () => import("./pages/play.js")],
  [/^\/practice\/?$/, "page-practice", () => import("./pages/practice.js")],
  [/^\/connect\/?$/, "page-connect", () => import("./pages/connect.js")],
  [/^\/teacher\/?$/, "page-teacher", () => import("./pages/teacher.js")],
  [/^\/screen\/?$/, "page-screen", () => import("./pages/screen.js")],
];

/** @typedef {HTMLElement & {params: Record<string, string>}} Page */

/** Shows the page of the address in `main`, now and whenever it changes. @param {HTMLElement} main */
export function route(main) {
  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    const [params, tag, load] = resolve(location.pathname);
    try {
      await load();
    } catch (error) {
      if (mine === turn) {
        main.replaceChildren(unreached());
        main.dispatchEvent(new CustomEvent("shown"));
      }
      // A script that came and is wrong throws something else.
      if (!(error instanceof TypeError)) throw error;
      return;
    }
    if (mine !== turn) return;
    const page = /** @type {Page} */ (document.createElement(tag));
    page.params = { ...Object.fromEntries(new URLSearchParams(location.search)), ...params };
    main.replaceChildren(page);
    main.dispatchEvent(new CustomEvent("shown"));
  };
  addEventListener("popstate", async () => {
    await show();
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  });
  document.addEventListener("click", (event) => {
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    const address = anchor?.getAttribute("href");
    if (!anchor || !address?.startsWith("/") || /^\/(api|docs)\//.test(address) || anchor.hasAttribute("download")) return;
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || anchor.target) return;
    event.preventDefault();
    go(address);
  });
  return show();
}

/** Fetches the page of the address, without showing it. */
export function fetchPage() {
  return resolve(location.pathname)[2]();
}

/** @param {string} path @returns {[Record<string, string>, string, () => Promise<unknown>]} */
function resolve(path) {
  for (const [pattern, tag, load] of ROUTES) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const groups = Object.entries(found.groups ?? {}).map(([name, text]) => [name, decode(text)]);
    return [Object.fromEntries(groups), tag, load];
  }
  return [{}, "page-missing", () => import("./pages/missing.js")];
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
