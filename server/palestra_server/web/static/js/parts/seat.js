// @ts-check
// A player's strip: sign, name and clock.
import { to } from "../addresses.js";
import { dotted, points, shares } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";
import { goneWords, hand, Timed } from "./clock.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Result, Seat } from "../types.js" */

/** The sign of a seat. @param {Seat} seat */
export const disc = (seat) => h("span", { class: `disc s${seat}`, role: "img", "aria-label": t(`seat.${seat}`) });

/**
 * `about`: beside the name, unless the line to this player is lost; `mine`: the reader sits here; `result` once it is over.
 * @typedef {{model: MatchModel, seat: Seat, about: string, mine?: boolean, result?: Pick<Result, "returns" | "reason"> | null}} Props
 */

/** @extends {Timed<Props>} */
export class SeatStrip extends Timed {
  run() {
    const { model, result = null, seat } = this.props;
    this.clock.show(hand(model, seat), result === null ? "" : points(shares(result)[seat]));
  }

  render() {
    const { model, seat, about, mine = false, result = null } = this.props;
    const name = model.players[seat];
    const gone = goneWords(model, seat);
    const got = result?.returns[seat] ?? 0;
    return h(
      "div",
      { class: `seat s${seat} ${gone === null ? "" : "gone"} ${got > 0 ? "winner" : got < 0 ? "loser" : ""}` },
      h("div", { class: "who" }, disc(seat), h("a", { class: "name", href: to.player(name) }, name), h("span", { class: "about" }, dotted([mine ? t("you") : "", gone ?? about])), this.clock.time),
      this.clock.bar,
    );
  }
}
