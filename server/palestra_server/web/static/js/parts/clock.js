// @ts-check
// The clocks of a match: what is left for the move as a figure, and as a bar that runs down.
import { h } from "../dom.js";
import { seconds } from "../format.js";

/** @typedef {import("../types.js").Seat} Seat */

export class Clock {
  /** @param {number} [digits] of a second that are shown */
  constructor(digits = 2) {
    this.digits = digits;
    this.time = h("span", { class: "time" });
    this.fill = h("i");
    this.bar = h("div", { class: "bar" }, this.fill);
    this.frame = 0;
  }

  /** It stands at `left` of `whole` ms; null: there is none. @param {number | null} left @param {number} whole */
  stand(left, whole) {
    cancelAnimationFrame(this.frame);
    this.#draw(left, whole);
  }

  /** It runs down from `left` now. @param {number} left @param {number} whole */
  run(left, whole) {
    cancelAnimationFrame(this.frame);
    const end = performance.now() + left;
    const tick = () => {
      const now = Math.max(0, end - performance.now());
      this.#draw(now, whole);
      if (now > 0 && this.time.isConnected) this.frame = requestAnimationFrame(tick);
    };
    this.#draw(left, whole);
    this.frame = requestAnimationFrame(tick);
  }

  /** @param {number | null} left @param {number} whole */
  #draw(left, whole) {
    // An hour for a move is how a match without a clock is written.
    const unlimited = whole >= 3_600_000;
    this.time.textContent = left === null || unlimited ? "" : seconds(left, this.digits);
    this.fill.style.transform = `scaleX(${left === null || unlimited || whole === 0 ? 1 : Math.min(1, left / whole)})`;
    const late = left !== null && !unlimited && left < whole / 4;
    for (const part of [this.time, this.bar]) part.classList.toggle("late", late);
  }
}

/**
 * Sets both clocks as the match has them.
 * @param {Clock[]} clocks by seat @param {import("../match_model.js").MatchModel} model
 * @param {(seat: Seat) => boolean} [gone] whose line is lost
 */
export function setClocks(clocks, model, gone = () => false) {
  for (const seat of /** @type {const} */ ([0, 1])) {
    const bank = model.banks[seat];
    // An absent player pays from the bank first: the move's own clock is stopped until that is used up.
    if (model.clock?.seat !== seat) clocks[seat].stand(model.result === null ? model.budgets[seat] : null, model.budgets[seat]);
    else if (gone(seat) && bank > 0) clocks[seat].run(bank, bank);
    else clocks[seat].run(model.clock.remaining_ms, model.budgets[seat]);
  }
}
