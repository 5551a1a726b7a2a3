// @ts-check
// The clocks of a match: what is left for the move as a figure, and as a bar that runs down.
import { seconds } from "../format.js";
import { createRef, h } from "../view.js";

/** @typedef {import("../types.js").Seat} Seat */
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
    time.textContent = word || (none ? "" : seconds(left, this.digits));
    /** @type {HTMLElement} */ (bar.firstElementChild).style.transform = `scaleX(${none || whole === 0 ? 1 : Math.min(1, left / whole)})`;
    for (const part of [time, bar]) part.classList.toggle("late", !none && left < whole / 4);
  }
}

/**
 * What the clock of a seat shows.
 * @param {import("../match_model.js").MatchModel} model @param {Seat} seat
 * @param {number | null} [gone_at] when the line to this player was lost
 * @returns {Hand}
 */
export function hand(model, seat, gone_at = null) {
  const [whole, bank] = [model.budgets[seat], model.banks[seat]];
  if (model.clock?.seat !== seat) return { whole, left: model.result === null ? whole : null };
  // An absent player pays from the bank first: the move's own clock is stopped until that is used up.
  return gone_at !== null && bank > 0 ? { whole: bank, until: gone_at + bank } : { whole, until: model.clock.until };
}
