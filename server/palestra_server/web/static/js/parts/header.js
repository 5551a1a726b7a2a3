// @ts-check
// The top of every page: navigation, connection status, language and theme.
import { to } from "../addresses.js";
import { LANGUAGES, chooseLanguage, language, t } from "../i18n.js";
import { keep } from "../kept.js";
import { line } from "../line.js";
import { seat } from "../play_line.js";
import { session } from "../session.js";
import { fading, h, View } from "../view.js";

/** @type {[string, string, RegExp][]} */
const PLACES = [
  ["/", "nav.live", /^\/($|match)/],
  ["/tournaments", "nav.tournaments", /^\/(tournament|season)/],
  ["/players", "nav.players", /^\/player/],
  ["/play", "nav.play", /^\/(play$|practice)/],
  ["/connect", "nav.connect", /^\/connect/],
  ["/teacher", "nav.teacher", /^\/teacher/],
];

/** What has a name and no place in the navigation. @type {typeof PLACES} */
const BESIDE = [
  ["/seasons", "seasons", /^\/seasons/],
  ["/screen", "lobby.screen", /^\/screen/],
  ["/remote", "remote.title", /^\/remote/],
];

/** What a page is called until it says more. @param {string} path */
export const placeName = (path) => t([...BESIDE, ...PLACES].find(([, , pattern]) => pattern.test(path))?.[1] ?? "nav.live");

/** @extends {View<{path: string}>} */
export class Header extends View {
  componentDidMount() {
    const again = () => this.redraw();
    this.hear(seat, "change", again);
    this.hear(line, "state", again);
    this.hear(session, "change", again);
    this.hear(matchMedia("(prefers-color-scheme: dark)"), "change", again);
    this.#show();
  }

  /** @param {{path: string}} before @param {{}} state @param {HTMLElement | null} focused */
  componentDidUpdate(before, state, focused) {
    super.componentDidUpdate(before, state, focused);
    if (before.path !== this.props.path) this.#show();
  }

  /** Brings the place that is shown into sight. */
  #show() {
    this.element?.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  render() {
    const { path } = this.props;
    const { role, player, teacher } = session.now;
    const lost = line.state === "lost";
    return h(
      "header",
      { class: "top", hidden: path === "/screen", ref: this.root },
      h("a", { class: "brand", href: "/" }, "Palestra"),
      h(
        "nav",
        { "aria-label": t("nav.label"), ref: fading },
        PLACES.map(([address, key, pattern]) => h("a", { href: address, "aria-current": pattern.test(path) ? "page" : null }, t(key))),
      ),
      h(
        "div",
        { class: "tools" },
        h("span", { role: "status", class: lost ? "pill lost" : "" }, lost ? t("line.lost") : ""),
        h("a", { class: "pill back", href: "/play", hidden: seat.match === null || path === "/play" }, t("seat.back")),
        role === "visitor" ? null : h("a", { class: "pill", href: role === "teacher" ? "/teacher" : to.player(player ?? "") }, h("span", null, role === "teacher" ? teacher || t("nav.teacher") : (player ?? ""))),
        h(
          "select",
          { "aria-label": t("language"), value: language, onChange: (/** @type {Event} */ event) => chooseLanguage(/** @type {HTMLSelectElement} */ (event.currentTarget).value) },
          Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag }, name)),
        ),
        h("button", { type: "button", class: "plain", onClick: () => this.#turn() }, t(dark() ? "theme.light" : "theme.dark")),
      ),
    );
  }

  #turn() {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    keep("theme", next);
    this.redraw();
  }
}

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
