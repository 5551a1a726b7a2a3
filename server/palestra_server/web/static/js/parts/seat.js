// @ts-check
// A player's strip: sign, name and clock.
import { to } from "../addresses.js";
import { h } from "../dom.js";
import { points, shares } from "../format.js";
import { t } from "../i18n.js";
import { Clock } from "./clock.js";

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
    this.clock = new Clock();
    this.element = h(
      "div",
      { class: `seat s${seat}` },
      h("div", { class: "who" }, disc(seat), this.name, this.about, this.clock.time),
      this.clock.bar,
    );
  }

  /** @param {string} name @param {string} about @param {boolean} [gone] the line to this player is lost */
  show(name, about, gone = false) {
    this.element.classList.toggle("gone", gone);
    this.name.textContent = name;
    this.name.setAttribute("href", to.player(name));
    this.about.textContent = about;
  }

  /** The match is over. @param {import("../types.js").Result} result @param {Seat} seat */
  end(result, seat) {
    this.element.classList.toggle("winner", result.returns[seat] > 0);
    this.element.classList.toggle("loser", result.returns[seat] < 0);
    this.clock.time.textContent = points(shares(result)[seat]);
  }
}
