// @ts-check
// A player's strip: sign, name and clock.
import { to } from "../addresses.js";
import { points, shares } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";
import { Timed } from "./clock.js";
/** @import { Result, Seat } from "../types.js" */

/** The sign of a seat. @param {Seat} seat */
export const disc = (seat) => h("span", { class: `disc s${seat}`, role: "img", "aria-label": t(`seat.${seat}`) });

/**
 * `gone`: the line to this player is lost; `result` once it is over.
 * @typedef {{seat: Seat, name: string, about: string, hand: import("./clock.js").Hand, gone?: boolean, result?: Pick<Result, "returns" | "reason"> | null}} Props
 */

/** @extends {Timed<Props>} */
export class SeatStrip extends Timed {
  run() {
    const { hand, result = null, seat } = this.props;
    this.clock.show(hand, result === null ? "" : points(shares(result)[seat]));
  }

  render() {
    const { seat, name, about, gone = false, result = null } = this.props;
    const mine = result?.returns[seat] ?? 0;
    return h(
      "div",
      { class: `seat s${seat} ${gone ? "gone" : ""} ${mine > 0 ? "winner" : mine < 0 ? "loser" : ""}` },
      h("div", { class: "who" }, disc(seat), h("a", { class: "name", href: to.player(name) }, name), h("span", { class: "about" }, about), this.clock.time),
      this.clock.bar,
    );
  }
}
