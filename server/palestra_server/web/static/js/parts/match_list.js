// @ts-check
// Matches as a list, with more on demand.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { clockTime, ending, gameName, outcome, score, tournamentName, versus } from "../format.js";
import { t } from "../i18n.js";

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
    null,
    h(
      "div",
      { class: "row apart" },
      h("a", { href: to.match(match.match) }, versus(match.players, match.live ? "–" : score(match))),
      h("span", { class: `outcome ${mine === null ? "" : mine > 0 ? "up" : mine < 0 ? "down" : ""}` }, match.live ? t("live") : word),
    ),
    h("div", { class: "quiet small" }, [gameName(match.game), fault.replace(/\.$/, "") || (match.plies ? t("ply.n", { n: match.plies }) : ""), tournamentName(match), clockTime(match.ended ?? match.started)].filter(Boolean).join(" · ")),
  );
}

/** A list of matches that loads on. @param {Record<string, string>} query @param {string} [player] */
export function matchList(query, player) {
  const list = h("ul", { class: "plainlist tight" });
  const more = h("button", { type: "button", hidden: true }, t("more"));
  /** @type {number | string | null} */
  let next = null;
  const load = async () => {
    more.disabled = true;
    try {
      const search = new URLSearchParams({ ...query, limit: String(PAGE), ...(next !== null && { before: String(next) }) });
      const answer = await get(`/matches?${search}`);
      list.append(...answer.matches.map((/** @type {Summary} */ match) => matchRow(match, player)));
      if (list.childElementCount === 0) list.append(h("li", { class: "quiet" }, t("lobby.no.results")));
      next = answer.next ?? null;
    } catch (error) {
      fill(list, h("li", { class: "quiet" }, /** @type {Error} */ (error).message || t("fault.unreachable")));
      next = null;
    }
    more.hidden = next === null;
    more.disabled = false;
  };
  more.addEventListener("click", load);
  load();
  return h("div", null, list, more);
}
