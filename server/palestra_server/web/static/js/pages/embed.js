// @ts-check
// A match for a frame on somebody else's page: the board, its replay, and the way here.
import { to } from "../addresses.js";
import { Board } from "../board/board.js";
import { gameName, outcome } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { MatchModel } from "../match_model.js";
import { Scrubber } from "../parts/scrubber.js";
import { SeatStrip } from "../parts/seat.js";
import { h, View } from "../view.js";
/** @import { Params, Seat } from "../types.js" */

/** @extends {View<{params: Params}>} */
export default class EmbedPage extends View {
  model = new MatchModel();
  /** @type {number | null} the plies played at the position that is shown; null follows the match */
  at = null;
  missing = false;

  componentDidMount() {
    this.until(line.watch(`match:${this.props.params.id}`, (event) => this.model.take(event) && this.redraw()));
    this.hear(line, "refused", (/** @type {any} */ { detail }) => {
      if (detail.code === "try_later") setTimeout(() => location.reload(), 2000);
      else this.missing = this.model.match === "";
      this.redraw();
    });
  }

  render() {
    const { model, at: chosen } = this;
    const at = chosen ?? model.plies;
    const go = (/** @type {number | null} */ ply) => {
      this.at = ply;
      this.redraw();
    };
    // Nothing else of this site may be in a frame.
    const outside = (/** @type {Event} */ { target }) => target instanceof Element && target.closest("a")?.setAttribute("target", "_blank");
    const strip = (/** @type {Seat} */ seat) => {
      const result = at === model.plies ? model.result : null;
      return h(SeatStrip, { model, seat, about: result === null ? "" : outcome(result, seat), result });
    };
    const back = h("a", { class: "small", href: to.match(this.props.params.id, chosen ?? undefined) }, t("embed.open"));
    if (this.missing) return h("page-embed", { ref: this.root, onClick: outside }, h("h1", { class: "say bad" }, t("match.missing")), back);
    return h(
      "page-embed",
      { ref: this.root, class: model.match === "" ? "waiting" : "", onClick: outside },
      h("h1", { class: "only-read" }, `${model.players.join(" – ")}, ${gameName(model.game)}`),
      strip(1),
      h(Board, { view: model.views[at], before: model.views[at - 1], action: model.moves[at - 1]?.action, large: true }),
      strip(0),
      h(Scrubber, { at, last: model.plies, running: model.result === null, following: chosen === null, onGo: go }),
      back,
    );
  }
}
