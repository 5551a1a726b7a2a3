// @ts-check
// The match that a person plays: board, clocks, hint, take-back, resignation, and what comes after.
import { to } from "../addresses.js";
import { Board } from "../board/board.js";
import { fill, h } from "../dom.js";
import { budget, ending, gameName, outcome, rule, score } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { MatchModel } from "../match_model.js";
import { setClocks } from "./clock.js";
import { SeatStrip } from "./seat.js";

/** @typedef {import("../types.js").Seat} Seat */
/** @typedef {{game: string, opponent: string, seat: Seat | null, opening: number[], expected?: number}} Wish `expected`: the hint at the end of the opening */

const fingers = matchMedia("(pointer: coarse)");

/** Fires "again" with a Wish for the next match, and "leave". */
export class Table extends EventTarget {
  /**
   * @param {import("../play_line.js").PlayLine} play
   * @param {any} start the `match_start`
   * @param {number} [expected] what the opponent was known to expect at the end of the opening
   */
  constructor(play, start, expected) {
    super();
    this.play = play;
    this.start = start;
    this.expected = expected;
    /** @type {Seat} */
    this.seat = start.seat;
    this.model = new MatchModel();
    /** @type {any} the turn that waits for an answer */
    this.turn = null;
    /** @type {Wish | null} what to play once this match is over */
    this.next = null;
    /** @type {number | null} */
    this.hint = null;
    this.strips = [new SeatStrip(0), new SeatStrip(1)];
    this.board = new Board({ turns: true });
    this.board.addEventListener("action", (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    this.say = h("p", { class: "say", role: "status" });
    this.tools = h("div", { class: "row" });
    this.element = h(
      "div",
      { class: "match-left table" },
      h("h1", null, t("table.title", { game: gameName(start.game), opponent: start.players[1 - this.seat] })),
      this.say,
      h("div", { class: "card match" }, this.strips[1].element, h("div", { class: "board-box" }, this.board), this.strips[0].element),
      h("div", { class: "stack" }, this.tools, h("p", { class: "quiet small" }, rule(start.game))),
    );
    const keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    document.addEventListener("keydown", keys);
    this.stops = [line.watch(`match:${start.match}`, (event) => this.#watch(event)), () => document.removeEventListener("keydown", keys)];
    this.#showTools();
  }

  close() {
    for (const stop of this.stops) stop();
  }

  get opponent() {
    return this.start.players[1 - this.seat];
  }

  /** A message of /play about this match. @param {any} message */
  take(message) {
    if (message.type === "turn") {
      this.turn = message;
      this.#show(false);
    } else if (message.type === "match_end") {
      this.turn = null;
      this.model.take(message);
      this.#show(false);
      // On a phone the messages are above the board, and the players below it.
      this.say.scrollIntoView({ block: "nearest" });
      if (this.next !== null) this.dispatchEvent(new CustomEvent("again", { detail: this.next }));
    }
  }

  /** @param {any} event */
  #watch(event) {
    if (!this.model.take(event)) return;
    this.hint = null;
    this.#show(event.type === "played");
  }

  /** @param {boolean} animate */
  #show(animate) {
    const { model } = this;
    if (model.view === undefined) return;
    const mine = this.turn !== null && this.turn.ply === model.plies && model.result === null;
    this.board.show(model.view, {
      before: model.views.at(-2) ?? null,
      action: model.moves.at(-1)?.action ?? null,
      animate,
      playable: mine,
      hint: this.hint,
    });
    for (const seat of /** @type {const} */ ([0, 1])) {
      const strip = this.strips[seat];
      const time = model.budgets[seat];
      const clock = time >= 3_600_000 ? t("clock.none") : t("clock.each", { s: budget(time) });
      const about = model.result === null ? clock : outcome(model.result, seat);
      strip.show(model.players[seat], seat === this.seat ? `${t("you")} · ${about}` : about);
    }
    setClocks(this.strips.map((strip) => strip.clock), model);
    if (model.result !== null) for (const seat of /** @type {const} */ ([0, 1])) this.strips[seat].end(model.result, seat);
    this.say.classList.toggle("idle", !mine && model.result === null);
    if (model.result !== null) {
      const word = model.result.returns[this.seat] > 0 ? t("you.won") : model.result.returns[this.seat] < 0 ? t("you.lost") : t("you.drew");
      fill(this.say, h("b", null, `${word} ${score(model.result)}. `), ending({ players: model.players, game: model.game, ...model.result }));
    } else {
      this.say.textContent = mine ? t(fingers.matches ? "your.turn.touch" : "your.turn") : model.clock === null ? t("table.wait") : t("their.turn", { name: this.opponent });
    }
    this.#showTools();
  }

  #showTools() {
    const { model } = this;
    const over = model.result !== null;
    const button = (/** @type {string} */ key, /** @type {() => void} */ act, disabled = false) =>
      h("button", { type: "button", onclick: act, disabled }, t(key));
    const wish = { game: this.start.game, opponent: this.opponent, opening: [...this.start.opening] };
    const again = (/** @type {Seat} */ seat) => () => this.dispatchEvent(new CustomEvent("again", { detail: { ...wish, seat } }));
    fill(
      this.tools,
      over ? button("again", again(this.seat)) : null,
      over ? button("again.swapped", again(/** @type {Seat} */ (1 - this.seat))) : null,
      over ? h("a", { class: "button", href: to.match(model.match) }, t("look.again")) : null,
      over ? null : button("hint", () => this.#giveHint(), this.turn === null),
      over ? null : button("take.back", () => this.#takeBack(), this.#before() === null),
      over ? null : button("resign", () => this.play.send({ type: "resign", match: this.start.match })),
      over ? button("back.to.room", () => this.dispatchEvent(new Event("leave"))) : null,
    );
  }

  /** @param {number} action */
  #choose(action) {
    if (this.turn === null) return;
    this.play.send({ type: "action", match: this.turn.match, ply: this.turn.ply, action });
    this.turn = null;
    this.#show(false);
  }

  /** The answer that the opponent expects is in the line that it reported with its own move. */
  #giveHint() {
    const expected = this.#expectedAt(this.model.moves.length);
    const legal = this.turn?.legal ?? [];
    if (expected === undefined || !legal.includes(expected)) {
      this.say.textContent = t("hint.none", { name: this.opponent });
      return;
    }
    this.hint = expected;
    this.#show(false);
    this.say.textContent = t("hint.is", { name: this.opponent, move: this.model.nameOf(expected) });
  }

  /** What the opponent expects from this person after this many moves. @param {number} plies */
  #expectedAt(plies) {
    const last = this.model.moves[plies - 1];
    if (plies === this.start.opening.length) return this.expected;
    return last !== undefined && last.seat !== this.seat ? last.info?.pv?.[1] : undefined;
  }

  /** The actions up to this person's latest own move; null if there is none to take back. */
  #before() {
    const mine = this.model.moves.filter((move) => move.seat === this.seat && move.charged_ms !== null).at(-1);
    // An opening has at most 40 actions.
    return mine === undefined || mine.ply > 40 ? null : this.model.moves.slice(0, mine.ply).map((move) => move.action);
  }

  /** A match is never rewritten: this one is given up, and a new one begins from the position before. */
  #takeBack() {
    const opening = this.#before();
    if (opening === null) return;
    this.next = { game: this.start.game, opponent: this.opponent, seat: this.seat, opening, expected: this.#expectedAt(opening.length) };
    this.play.send({ type: "resign", match: this.start.match });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("input, select, textarea")) return;
    if (this.board.press(event.key)) event.preventDefault();
  }
}
