// @ts-check
// The list of moves with what each cost; a click goes to the position after it.
import { seconds } from "../format.js";
import { t } from "../i18n.js";
import { h, View } from "../view.js";
import { SIGNS } from "./judged.js";
import { disc } from "./seat.js";
/** @import { Analysis, Move } from "../types.js" */

/**
 * `at`: the plies played at the position that is shown.
 * @extends {View<{model: import("../match_model.js").MatchModel, at: number, analysis: Analysis | null, notes: Map<number, string>, onGo: (ply: number) => void}>}
 */
export class MoveList extends View {
  componentDidMount() {
    const list = this.element;
    const current = /** @type {HTMLElement | undefined} */ (list?.children[this.props.at - 1]);
    if (list === null) return;
    if (current === undefined) list.scrollTop = 0;
    else {
      // Only the list scrolls, never the page under the reader.
      const top = current.offsetTop - list.offsetTop;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + current.offsetHeight - list.clientHeight;
    }
  }

  componentDidUpdate() {
    this.componentDidMount();
  }

  render() {
    const { model, at, analysis, notes, onGo } = this.props;
    const classes = new Map(analysis?.moves.map((move) => [move.ply, move.class]));
    return h("ol", { ref: this.root, class: "moves", "aria-label": t("moves") }, model.moves.map((move) => row(move, move.ply + 1 === at, classes.get(move.ply) ?? "", notes.get(move.ply) ?? "", onGo)));
  }
}

/** @param {Move} move @param {boolean} current @param {string} kind what the judge says of it @param {string} note @param {(ply: number) => void} go */
function row(move, current, kind, note, go) {
  const opening = move.charged_ms === null;
  return h(
    "li",
    { key: move.ply },
    h(
      "button",
      { type: "button", class: "plain move", "aria-current": current ? "step" : null, onClick: () => go(move.ply + 1) },
      h("span", { class: "quiet number" }, move.ply),
      disc(move.seat),
      h("span", { class: "what" }, move.name, SIGNS[kind] ? h("b", { class: kind, title: t(`class.${kind}`) }, ` ${SIGNS[kind]}`) : null),
      note && h("span", { class: "quiet", title: note }, "✎"),
      h("span", { class: "quiet cost", title: opening ? t("opening") : null }, opening ? "–" : seconds(Number(move.charged_ms))),
    ),
  );
}
