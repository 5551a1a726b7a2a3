// @ts-check
// A player's strip: sign, name, the time that is left as a figure and as a bar that runs down.
import { to } from "../addresses.js";
import { h } from "../dom.js";
import { seconds } from "../format.js";
import { t } from "../i18n.js";

/** @typedef {import("../types.js").Seat} Seat */

/** The sign of a seat. @param {Seat} seat */
export function disc(seat) {
  return h("span", { class: `disc s${seat}`, role: "img", "aria-label": t(`seat.${seat}`) });
}

/** A strip whose clock can run. */
export class SeatStrip {
  /** @param {Seat} seat */
  constructor(seat) {
    this.name = h("a", { class: "name" });
    this.about = h("span", { class: "about" });
    this.time = h("span", { class: "time" });
    this.fill = h("i");
    this.element = h(
      "div",
      { class: `seat s${seat}` },
      h("div", { class: "who" }, disc(seat), this.name, this.about, this.time),
      h("div", { class: "bar" }, this.fill),
    );
    this.frame = 0;
  }

  /** @param {string} name @param {string} about @param {boolean} [gone] the line to this player is lost */
  show(name, about, gone = false) {
    this.element.classList.toggle("gone", gone);
    this.name.textContent = name;
    this.name.setAttribute("href", to.player(name));
    this.about.textContent = about;
  }

  /** The clock stands at `left` of `whole` ms; null: there is none. @param {number | null} left @param {number} whole */
  stand(left, whole) {
    cancelAnimationFrame(this.frame);
    this.#draw(left, whole);
  }

  /** The clock runs down from `left` now. @param {number} left @param {number} whole */
  run(left, whole) {
    cancelAnimationFrame(this.frame);
    const end = performance.now() + left;
    const tick = () => {
      const now = Math.max(0, end - performance.now());
      this.#draw(now, whole);
      if (now > 0 && this.element.isConnected) this.frame = requestAnimationFrame(tick);
    };
    this.#draw(left, whole);
    this.frame = requestAnimationFrame(tick);
  }

  /** The match is over. @param {number} mine what this seat got: 1, 0 or -1 */
  end(mine) {
    this.element.classList.toggle("winner", mine > 0);
    this.element.classList.toggle("loser", mine < 0);
    this.time.textContent = mine > 0 ? "1" : mine < 0 ? "0" : "½";
  }

  /** @param {number | null} left @param {number} whole */
  #draw(left, whole) {
    // An hour for a move is how a match without a clock is written.
    const unlimited = whole >= 3_600_000;
    this.time.textContent = left === null || unlimited ? "" : seconds(left);
    this.fill.style.transform = `scaleX(${left === null || unlimited || whole === 0 ? 1 : Math.min(1, left / whole)})`;
    this.element.classList.toggle("late", left !== null && !unlimited && left < whole / 4);
  }
}
