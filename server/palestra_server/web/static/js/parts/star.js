// @ts-check
// The players whom this reader follows: their matches come first.
import { t } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { h, View } from "../view.js";

const KEY = "favourites";

/** Fires "change". */
export const favourites = new (class extends EventTarget {
  /** @type {Set<string>} */
  names = new Set(JSON.parse(kept(KEY) ?? "[]"));

  /** @param {string} name */
  toggle(name) {
    if (!this.names.delete(name)) this.names.add(name);
    keep(KEY, JSON.stringify([...this.names]));
    this.dispatchEvent(new Event("change"));
  }
})();

/** Follows a player, or no longer. @extends {View<{name: string}>} */
export class Star extends View {
  componentDidMount() {
    this.hear(favourites, "change", () => this.redraw());
  }

  render() {
    const { name } = this.props;
    return h(
      "button",
      { type: "button", class: "star", "aria-pressed": String(favourites.names.has(name)), "aria-label": t("follow", { name }), title: t("follow.what", { name }), onClick: () => favourites.toggle(name) },
      h("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: "M8 1.5l2 4.4 4.8.5-3.6 3.2 1 4.7L8 11.9l-4.2 2.4 1-4.7L1.2 6.4 6 5.9z" })),
    );
  }
}
