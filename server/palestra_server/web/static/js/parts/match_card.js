// @ts-check
// A live match as a small board that moves; the whole card leads to it.
import { to } from "../addresses.js";
import { Board } from "../board/board.js";
import { duration, gameName, outcome, tournamentName } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";
import { disc } from "./seat.js";
import { Star } from "./star.js";
/** @import { LiveMatch, Result, Seat } from "../types.js" */

/** @param {{match: LiveMatch, end?: Pick<Result, "returns" | "reason"> | null, pinned?: boolean}} props `end` once it is over; `pinned`: it comes before others */
export function MatchCard({ match, end = null, pinned = false }) {
  const { view, players, ply } = match;
  const tournament = tournamentName(match);
  const side = (/** @type {Seat} */ seat) => {
    const moves = end === null && view?.to_move === seat;
    const [mine, theirs] = end === null ? [0, 0] : [end.returns[seat], end.returns[1 - seat]];
    const word = end === null ? (moves ? t("to.move") : "") : mine < theirs ? "" : outcome(end, seat);
    return h(
      "div",
      { class: `side s${seat} ${moves ? "moves-now" : mine > theirs ? "won" : mine < theirs ? "lost" : ""}` },
      h("div", { class: "who" }, disc(seat), h("span", { class: "name" }, players[seat]), h("span", { class: "turn" }, word), h(Star, { name: players[seat] })),
      h("div", { class: "bar" }),
    );
  };
  return h(
    "div",
    { class: `card match-card ${view?.kind === "pits" ? "flat" : ""} ${end === null ? "" : "over"} ${pinned ? "pinned" : ""}`, "data-match": match.match },
    h("a", { class: "cover", href: to.match(match.match), "aria-label": `${players.join(" – ")}, ${gameName(match.game)}` }),
    side(1),
    h("div", { class: "board-box" }, h(Board, { view, before: match.before })),
    side(0),
    h(
      "ul",
      { class: "about" },
      h("li", null, gameName(match.game)),
      h("li", null, t("ply.n", { n: ply })),
      h("li", { class: "elapsed" }, duration(performance.now() - match.began)),
      tournament ? h("li", { class: "cup" }, tournament) : null,
    ),
  );
}
