// @ts-check
// A match as sent by /watch: a snapshot, then what is played, then the end.
/** @import { Move, Result, Seat, View } from "./types.js" */

export class MatchModel {
  constructor() {
    this.match = "";
    this.game = "";
    /** @type {[string, string]} */
    this.players = ["", ""];
    /** @type {[string, string]} of the bots, as they say themselves */
    this.versions = ["", ""];
    /** @type {string | null} */
    this.tournament = null;
    /** @type {string | null} */
    this.tournament_title = null;
    /** @type {View[]} one for each ply, the first position included */
    this.views = [];
    /** @type {Move[]} */
    this.moves = [];
    this.opening = 0;
    /** @type {Result | null} */
    this.result = null;
    /** @type {{seat: Seat, since: number, until: number, lost: number | null} | null} who is to move, since when and until when
     * by the page's own clock, and when that player loses unless it is back, as the server says */
    this.clock = null;
    /** @type {(number | null)[]} since when the line to each seat's player is lost */
    this.gone_at = [null, null];
    /** @type {[number, number]} */
    this.budgets = [2000, 2000];
    /** @type {[number, number]} what is left for lost connections */
    this.banks = [0, 0];
    this.rated = false;
  }

  /** The plies that were played. */
  get plies() {
    return this.moves.length;
  }

  /** The position now. @returns {View | undefined} */
  get view() {
    return this.views.at(-1);
  }

  /** @param {any} event @returns {boolean} whether something changed that is shown */
  take(event) {
    if (event.type === "snapshot") this.#begin(event);
    else if (event.type === "played") this.#play(event);
    else if (event.type === "match_end") this.#end(event);
    else return false;
    return true;
  }

  /** @param {any} event */
  #begin(event) {
    this.match = event.match;
    this.game = event.game;
    this.players = event.players;
    this.versions = event.versions ?? ["", ""];
    this.tournament = event.tournament ?? null;
    this.tournament_title = event.tournament_title ?? null;
    this.rated = event.rated ?? false;
    this.views = event.views;
    this.moves = event.actions.map((/** @type {number} */ action, /** @type {number} */ ply) => ({
      ply,
      seat: this.views[ply].to_move,
      action,
      name: event.names[ply],
      charged_ms: event.charged_ms[ply],
      info: event.infos[ply],
    }));
    this.opening = event.opening.length;
    this.result = event.result ?? null;
    const [first, second] = event.clocks;
    this.budgets = [first.move_ms, second.move_ms];
    this.banks = [first.bank_ms, second.bank_ms];
    const now = performance.now();
    this.clock = event.clock && { seat: event.clock.seat, since: now, until: now + event.clock.remaining_ms, lost: (event.clock.lost_ms ?? null) && now + event.clock.lost_ms };
  }

  /** @param {any} event */
  #play(event) {
    if (event.ply !== this.moves.length) return;
    const { ply, seat, action, name, charged_ms } = event;
    this.moves.push({ ply, seat, action, name, charged_ms, info: event.info ?? null });
    this.views.push(event.view);
    this.banks[/** @type {Seat} */ (seat)] = Math.max(0, this.banks[/** @type {Seat} */ (seat)] - event.away_ms);
    /** @type {Seat | null} */
    const next = event.view.to_move;
    const now = performance.now();
    this.clock = next === null ? null : { seat: next, since: now, until: now + this.budgets[next], lost: null };
  }

  /** Who of both is here. @param {{known: boolean, players: Map<string, unknown>}} lobby */
  look({ known, players }) {
    this.gone_at = this.players.map((name, seat) => (this.match !== "" && this.result === null && known && !players.has(name) ? (this.gone_at[seat] ?? performance.now()) : null));
    if (known && this.clock !== null && this.gone_at[this.clock.seat] === null) this.clock.lost = null;
  }

  /** @param {any} event */
  #end(event) {
    this.result = { returns: event.returns, reason: event.reason, receipt: event.receipt, why: event.why ?? this.result?.why };
    this.clock = null;
  }

  /** The name of an action in this game. @param {number} action */
  nameOf(action) {
    for (const view of [this.view, ...this.views]) {
      const found = view?.actions.find((candidate) => candidate.action === action);
      if (found !== undefined) return found.name;
    }
    return String(action);
  }
}
