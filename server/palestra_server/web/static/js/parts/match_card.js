// @ts-check
// A live match as a small board that moves; the whole card leads to it.
import { to } from "../addresses.js";
import { h } from "../dom.js";
import { duration, gameName, outcome, tournamentName } from "../format.js";
import { t } from "../i18n.js";
import { disc } from "./seat.js";
import { Board } from "../board/board.js";

/** @typedef {import("../types.js").View} View */

export class MatchCard {
  /** @param {{match: string, game: string, players: [string, string], ply?: number, tournament?: string | null, tournament_title?: string | null, age_ms?: number, view?: View | null}} match */
  constructor(match) {
    this.match = match;
    this.board = new Board();
    /** @type {View | null} */
    this.view = null;
    this.began = performance.now() - (match.age_ms ?? 0);
    this.plies = h("li");
    this.time = h("li", { class: "elapsed" });
    const tournament = tournamentName(match);
    const about = h("ul", { class: "about" }, h("li", null, gameName(match.game)), this.plies, this.time, tournament ? h("li", { class: "cup" }, tournament) : null);
    this.turns = [h("span", { class: "turn" }), h("span", { class: "turn" })];
    this.sides = /** @type {const} */ ([0, 1]).map((seat) =>
      h("div", { class: `side s${seat}` }, h("div", { class: "who" }, disc(seat), h("span", { class: "name" }, match.players[seat]), this.turns[seat]), h("div", { class: "bar" })),
    );
    this.element = h(
      "a",
      { class: "card match-card", href: to.match(match.match), "data-match": match.match },
      this.sides[1],
      h("div", { class: "board-box" }, this.board),
      this.sides[0],
      about,
    );
    this.show(match.view ?? null, match.ply ?? 0);
    this.tick();
  }

  /** The same match in a new snapshot. @param {{ply?: number, view?: View | null}} match */
  again({ ply = 0, view = null }) {
    this.show(view, ply);
    return this;
  }

  /** Says how long it is on. */
  tick() {
    this.time.textContent = duration(performance.now() - this.began);
  }

  /** @param {View | null} view @param {number} ply the plies that were played */
  show(view, ply) {
    this.plies.textContent = t("ply.n", { n: ply });
    if (view === null) return;
    this.board.show(view, { before: this.view, animate: true });
    this.element.classList.toggle("flat", view.kind === "pits");
    this.view = view;
    for (const seat of /** @type {const} */ ([0, 1])) {
      const moves = view.to_move === seat;
      this.sides[seat].classList.toggle("moves-now", moves);
      this.turns[seat].textContent = moves ? t("to.move") : "";
    }
  }

  /** @param {{returns: [number, number], reason: string}} result */
  end(result) {
    const { returns } = result;
    for (const seat of /** @type {const} */ ([0, 1])) {
      const other = returns[seat === 0 ? 1 : 0];
      this.sides[seat].classList.remove("moves-now");
      this.sides[seat].classList.toggle("won", returns[seat] > other);
      this.sides[seat].classList.toggle("lost", returns[seat] < other);
      this.turns[seat].textContent = returns[seat] < other ? "" : outcome(result, seat);
    }
    this.element.classList.add("over");
  }
}
