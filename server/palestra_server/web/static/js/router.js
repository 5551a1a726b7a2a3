// @ts-check
// From the address to the page: /match/ab12?ply=7 is the page of pages/match.js with {id: "ab12", ply: "7"}. The server
// answers every such address with the same index.html.
import { go } from "./addresses.js";
import { t } from "./i18n.js";
import { Header, placeName } from "./parts/header.js";
import { Unreached } from "./parts/unreached.js";
import { Fragment, createRef, h, View } from "./view.js";
/** @import { Params } from "./types.js" */
/** @import { VNode } from "./view.js" */

/** @typedef {import("../vendor/preact.js").ComponentClass<any>} Page takes the Params */

/** @type {[RegExp, () => Promise<{default: Page}>][]} */
const ROUTES = [
  [/^\/$/, () => import("./pages/lobby.js")],
  [/^\/match\/(?<id>[^/]+)\/?$/, () => import("./pages/match.js")],
  [/^\/embed\/match\/(?<id>[^/]+)\/?$/, () => import("./pages/embed.js")],
  [/^\/tournaments\/?$/, () => import("./pages/tournaments.js")],
  [/^\/tournament\/(?<name>[^/]+)\/?$/, () => import("./pages/tournament.js")],
  [/^\/seasons\/?$/, () => import("./pages/seasons.js")],
  [/^\/seasons\/(?<name>[^/]+)\/?$/, () => import("./pages/seasons.js")],
  [/^\/players\/?$/, () => import("./pages/players.js")],
  [/^\/player\/(?<name>[^/]+)\/?$/, () => import("./pages/player.js")],
  [/^\/play\/?$/, () => import("./pages/play.js")],
  [/^\/practice\/?$/, () => import("./pages/practice.js")],
  [/^\/connect\/?$/, () => import("./pages/connect.js")],
  [/^\/teacher\/?$/, () => import("./pages/teacher.js")],
  [/^\/screen\/?$/, () => import("./pages/screen.js")],
  [/^\/remote\/?$/, () => import("./pages/remote.js")],
];

/** The frame around every page, and the page of the address. @extends {View<{}, {path: string, page: VNode | null}>} */
export class App extends View {
  /** @type {{path: string, page: VNode | null}} */
  state = { path: location.pathname, page: null };
  main = createRef();
  turn = 0;

  componentDidMount() {
    this.hear(window, "popstate", async () => {
      await this.#show();
      scrollTo(0, 0);
      this.#focus();
    });
    this.hear(document, "click", clicked);
    this.#show();
  }

  #focus() {
    this.main.current.focus({ preventScroll: true });
  }

  async #show() {
    const mine = ++this.turn;
    const [params, load] = resolve(location.pathname);
    const path = location.pathname;
    /** @type {{page: VNode}} */
    const shown = await load().then(
      ({ default: Page }) => ({ page: h(Page, { key: mine, params: { ...Object.fromEntries(new URLSearchParams(location.search)), ...params } }) }),
      (error) => {
        // A script that came and is wrong throws something else.
        if (!(error instanceof TypeError)) throw error;
        return { page: h(Unreached, { key: mine }) };
      },
    );
    if (mine !== this.turn) return;
    document.title = `${placeName(path)} · Palestra`;
    await new Promise((done) => this.setState({ ...shown, path }, () => done(null)));
  }

  render() {
    const { path, page } = this.state;
    const skip = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#focus();
    };
    const content = h("main", { id: "main", tabindex: -1, ref: this.main }, page);
    if (path.startsWith("/embed/")) return content;
    return h(Fragment, null, h("a", { class: "skip", href: "#main", onClick: skip }, t("skip")), h(Header, { path }), content);
  }
}

/** A link within the site does not load the document anew. @param {MouseEvent} event */
function clicked(event) {
  const anchor = event.target instanceof Element ? event.target.closest("a") : null;
  const address = anchor?.getAttribute("href");
  if (!anchor || !address?.startsWith("/") || /^\/(api|docs)\//.test(address) || anchor.hasAttribute("download")) return;
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || anchor.target) return;
  event.preventDefault();
  go(address);
}

/** Fetches the page of the address, without showing it. */
export const fetchPage = () => resolve(location.pathname)[1]();

/** @param {string} path @returns {[Params, () => Promise<{default: Page}>]} */
function resolve(path) {
  for (const [pattern, load] of ROUTES) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const groups = Object.entries(found.groups ?? {}).map(([group, text]) => [group, decode(text)]);
    return [Object.fromEntries(groups), load];
  }
  return [{}, () => import("./pages/missing.js")];
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
