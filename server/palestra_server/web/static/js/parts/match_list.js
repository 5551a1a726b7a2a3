// @ts-check
// Matches as a list, with more on demand.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { clockTime, ending, gameName, outcome, score, tournamentName, versus } from "../format.js";
import { t } from "../i18n.js";
import { h, View } from "../view.js";

/** @typedef {import("../types.js").Summary} Summary */

const PAGE = 30;

/** @param {Summary} match @param {string} [player] whose view the result is from */
export function matchRow(match, player) {
  const seat = player === undefined ? -1 : match.players.indexOf(player);
  const mine = seat < 0 || match.returns === null ? null : match.returns[seat];
  const word = mine === null ? "" : outcome(/** @type {any} */ (match), /** @type {import("../types.js").Seat} */ (seat));
  const fault = match.reason !== null && match.reason !== "rules" ? ending(/** @type {any} */ (match)) : "";
  return h(
    "li",
    { key: match.match },
    h(
      "div",
      { class: "row apart" },
      h("a", { href: to.match(match.match) }, versus(match.players, match.live ? "–" : score(match))),
      h("span", { class: `outcome ${mine === null ? "" : mine > 0 ? "up" : mine < 0 ? "down" : ""}` }, match.live ? t("live") : word),
    ),
    h("div", { class: "quiet small" }, [gameName(match.game), fault.replace(/\.$/, "") || (match.plies ? t("ply.n", { n: match.plies }) : ""), tournamentName(match), clockTime(match.ended ?? match.started)].filter(Boolean).join(" · ")),
  );
}

/**
 * A list of matches that loads on; give it another key for another query.
 * @extends {View<{query: Record<string, string>, player?: string}, {matches: Summary[] | null, next: number | string | null, fault: string | null, busy: boolean}>}
 */
export class MatchList extends View {
  /** @type {{matches: Summary[] | null, next: number | string | null, fault: string | null, busy: boolean}} */
  state = { matches: null, next: null, fault: null, busy: false };

  componentDidMount() {
    this.#load();
  }

  async #load() {
    const { matches, next } = this.state;
    this.setState({ busy: true });
    try {
      const search = new URLSearchParams({ ...this.props.query, limit: String(PAGE), ...(next !== null && { before: String(next) }) });
      const answer = await get(`/matches?${search}`);
      this.setState({ matches: [...(matches ?? []), ...answer.matches], next: answer.next ?? null, busy: false });
    } catch (error) {
      this.setState({ fault: /** @type {Error} */ (error).message || t("fault.unreachable"), next: null, busy: false });
    }
  }

  render() {
    const { matches, next, fault, busy } = this.state;
    const rows = matches?.map((match) => matchRow(match, this.props.player)) ?? [];
    const none = fault ?? (matches?.length === 0 ? t("lobby.no.results") : null);
    return h(
      "div",
      null,
      h("ul", { class: "plainlist tight" }, none === null ? rows : h("li", { class: "quiet" }, none)),
      next === null ? null : h("button", { type: "button", disabled: busy, onClick: () => this.#load() }, t("more")),
    );
  }
}
