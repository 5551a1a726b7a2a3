// @ts-check
// The versions of a bot: the score of each, and whether the newest is better than the one before.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { gameName, percent } from "../format.js";
import { t } from "../i18n.js";
import { h, table, View } from "../view.js";

/** @typedef {{version: string, matches: number, score: number, low: number, high: number}} Version */
/** @typedef {{game: string, ply: number, older: string, newer: string, older_match: string, newer_match: string}} Parting */
/** @typedef {{older: string, newer: string, difference: number, low: number, high: number, pairs: number, paired: boolean, partings: Parting[]}} Compared */

const signed = (/** @type {number} */ share) => (share > 0 ? "+" : "") + percent(share);

/** @extends {View<{player: string}, {versions: Version[], compared: Compared | null}>} */
export class Versions extends View {
  /** @type {{versions: Version[], compared: Compared | null}} */
  state = { versions: [], compared: null };

  async componentDidMount() {
    const found = await get(`/players/${encodeURIComponent(this.props.player)}/versions`).catch(() => null);
    if (found !== null) this.setState(found);
  }

  render() {
    const { versions, compared } = this.state;
    if (versions.length === 0) return h("section", { ref: this.root, hidden: true });
    const rows = versions.map(({ version, matches, score, low, high }) =>
      h("tr", { key: version }, h("td", null, version), h("td", { class: "num" }, matches), h("td", { class: "num" }, percent(score), h("span", { class: "quiet small" }, ` (${percent(low)} – ${percent(high)})`))),
    );
    const head = [h("th", null, t("version")), h("th", { class: "num" }, t("matches")), h("th", { class: "num" }, t("scored"))];
    return h(
      "section",
      { ref: this.root, class: "versions" },
      h("h2", null, t("versions")),
      h("div", { class: "card stack" }, compared === null ? null : comparison(compared), table({}, head, rows)),
    );
  }
}

/** @param {Compared} compared */
function comparison(compared) {
  const { older, newer, difference, low, high, paired, pairs, partings } = compared;
  const verdict = low > 0 ? "better" : high < 0 ? "worse" : "unsure";
  const values = { older, newer, difference: signed(difference), low: signed(low), high: signed(high), n: pairs };
  return h(
    "div",
    null,
    h("p", { class: low > 0 ? "say ok" : "say" }, t(`version.${verdict}`, values), " ", t(paired ? "version.paired" : "version.unpaired", values)),
    partings.map((each) =>
      h("p", { key: each.game, class: "small" }, t("version.parting", { game: gameName(each.game) }), " ", h("a", { href: to.match(each.older_match, each.ply) }, `${older}: ${each.older}`), " · ", h("a", { href: to.match(each.newer_match, each.ply) }, `${newer}: ${each.newer}`)),
    ),
  );
}
