// @ts-check
// The clocks of a match: what is left for the move as a figure, and as a bar that runs down.
import { duration, seconds } from "../format.js";
import { t } from "../i18n.js";
import { createRef, h, View } from "../view.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Seat } from "../types.js" */

// As the server has it: at most this of the time for a move, for who is gone.
const GONE_MS = 600_000;

/** @typedef {{whole: number, until?: number, left?: number | null}} Hand `whole` ms, which run down until a moment, or stand at `left` */

/** Draws a clock in two elements of a component, at each frame and without drawing that component anew. */
export class Clock {
  /** @param {number} [digits] of a second that are shown */
  constructor(digits = 2) {
    this.digits = digits;
    /** @type {{current: HTMLElement | null}} */
    this.figure = createRef();
    /** @type {{current: HTMLElement | null}} */
    this.track = createRef();
    this.time = h("span", { class: "time", ref: this.figure });
    this.bar = h("div", { class: "bar", ref: this.track }, h("i", null));
    this.frame = 0;
  }

  /** @param {Hand} hand @param {string} [word] instead of the figure */
  show({ whole, until, left = null }, word = "") {
    cancelAnimationFrame(this.frame);
    const tick = () => {
      const now = until === undefined ? left : Math.max(0, until - performance.now());
      this.#draw(now, whole, word);
      if (until !== undefined && now !== 0 && this.figure.current?.isConnected) this.frame = requestAnimationFrame(tick);
    };
    tick();
  }

  /** @param {number | null} left @param {number} whole @param {string} word */
  #draw(left, whole, word) {
    const [time, bar] = [this.figure.current, this.track.current];
    if (time === null || bar === null) return;
    // An hour for a move is how a match without a clock is written.
    const unlimited = whole >= 3_600_000;
    const none = left === null || unlimited;
    time.textContent = word || (none ? "" : left < 60_000 ? seconds(left, this.digits) : duration(left));
    /** @type {HTMLElement} */ (bar.firstElementChild).style.transform = `scaleX(${none || whole === 0 ? 1 : Math.min(1, left / whole)})`;
    for (const part of [time, bar]) part.classList.toggle("late", !none && left < whole / 4);
  }
}

/**
 * A component with a clock, which `run` sets.
 * @template P
 * @extends {View<P>}
 */
export class Timed extends View {
  clock = new Clock();

  run() {}

  componentDidMount() {
    this.run();
  }

  /** @param {P} before @param {{}} state @param {HTMLElement | null} focused */
  componentDidUpdate(before, state, focused) {
    super.componentDidUpdate(before, state, focused);
    this.run();
  }

  componentWillUnmount() {
    cancelAnimationFrame(this.clock.frame);
    super.componentWillUnmount();
  }
}

/**
 * What the clock of a seat shows.
 * @param {MatchModel} model @param {Seat} seat
 * @returns {Hand}
 */
export function hand(model, seat) {
  const [whole, gone_at, { clock }] = [model.budgets[seat], model.gone_at[seat], model];
  if (clock?.seat !== seat) return { whole, left: model.result === null ? whole : null };
  if (gone_at === null) return { whole, until: clock.until };
  // An absent player has its bank, then what is left of the time for the move: when it has to be back.
  const from = Math.max(gone_at, clock.since);
  const left = model.banks[seat] + Math.min(clock.until - from, GONE_MS);
  return { whole: left, until: clock.lost ?? from + left };
}

/** What is said of a player to whom the line is lost; null if it is not. @param {MatchModel} model @param {Seat} seat */
export const goneWords = (model, seat) => (model.gone_at[seat] === null ? null : t(model.clock?.seat === seat ? "seat.gone.turn" : "seat.gone"));
