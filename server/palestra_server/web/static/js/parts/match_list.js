// @ts-check
// Lists that are too long to be loaded at once, such as matches: with more on demand.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { clockTime, counted, dotted, ending, gameName, outcome, ruled, tournamentName, versus } from "../format.js";
import { t } from "../i18n.js";
import { h, View } from "../view.js";
/** @import { Seat, Summary } from "../types.js" */

const PAGE = 30;

/** @param {Summary} match @param {string} [player] whose view the result is from */
export function matchRow(match, player) {
  const seat = player === undefined ? -1 : match.players.indexOf(player);
  const counts = match.ruling ?? match;
  const mine = seat < 0 || counts.returns === null ? null : counts.returns[seat];
  const word = mine === null ? "" : outcome(/** @type {any} */ (counts), /** @type {Seat} */ (seat));
  const fault = match.reason !== null && match.reason !== "rules" ? ending(/** @type {any} */ (match)) : "";
  return h(
    "li",
    { key: match.match },
    h(
      "div",
      { class: "row apart" },
      h("a", { href: to.match(match.match) }, versus(match.players, match.live ? "–" : counted(match))),
      h("span", { class: `outcome ${mine === null ? "" : mine > 0 ? "up" : mine < 0 ? "down" : ""}` }, match.live ? t("live") : word),
    ),
    h("div", { class: "quiet small" }, dotted([ruled(match), gameName(match.game), fault.replace(/\.$/, "") || (match.plies ? t("ply.n", { n: match.plies }) : ""), tournamentName(match), clockTime(match.ended ?? match.started)])),
  );
}

/** Give it another key for another query. @param {{query: Record<string, string>, player?: string}} props */
export const MatchList = ({ query, player }) => h(LongList, { path: `/matches?${new URLSearchParams(query)}`, of: "matches", from: "before", row: (/** @type {Summary} */ match) => matchRow(match, player) });

/**
 * What stands under `of` in the answers of `path`, a page at a time; the next page is from `next` on, by the parameter `from`.
 * @typedef {{rows: any[] | null, next: number | string | null, fault: string | null, busy: boolean}} State
 * @extends {View<{path: string, of: string, from: string, row: (item: any) => import("../view.js").VNode}, State>}
 */
export class LongList extends View {
  /** @type {State} */
  state = { rows: null, next: null, fault: null, busy: false };

  componentDidMount() {
    this.#load();
  }

  async #load() {
    const { rows, next } = this.state;
    const { path, of, from } = this.props;
    this.setState({ busy: true });
    try {
      const answer = await get(`${path}&${new URLSearchParams({ limit: String(PAGE), ...(next !== null && { [from]: String(next) }) })}`);
      this.setState({ rows: [...(rows ?? []), ...answer[of]], next: answer.next ?? null, busy: false });
    } catch (error) {
      this.setState({ fault: /** @type {Error} */ (error).message, next: null, busy: false });
    }
  }

  render() {
    const { rows, next, fault, busy } = this.state;
    const none = fault ?? (rows?.length === 0 ? t("lobby.no.results") : null);
    return h(
      "div",
      null,
      h("ul", { class: "plainlist tight" }, none === null ? rows?.map(this.props.row) : h("li", { class: "quiet" }, none)),
      next === null ? null : h("button", { type: "button", disabled: busy, onClick: () => this.#load() }, t("more")),
    );
  }
}
