// @ts-check
// The list of moves with what each cost; a click goes to the position after it.
import { fill, h } from "../dom.js";
import { seconds } from "../format.js";
import { t } from "../i18n.js";
import { disc } from "./seat.js";

/** @typedef {import("../match_model.js").MatchModel} MatchModel */

export class MoveList {
  /** @param {(ply: number) => void} go called with the number of plies played at the chosen position */
  constructor(go) {
    this.list = h("ol", { class: "moves", "aria-label": t("moves") });
    this.element = this.list;
    this.list.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button !== null) go(Number(button.dataset.ply));
    });
    this.shown = 0;
    this.match = "";
  }

  /** @param {MatchModel} model @param {number} at the plies played at the position that is shown */
  show(model, at) {
    if (model.match !== this.match || model.plies < this.shown) {
      fill(this.list);
      this.shown = 0;
      this.match = model.match;
    }
    for (; this.shown < model.plies; this.shown++) this.list.append(row(model.moves[this.shown]));
    for (const button of this.list.querySelectorAll("button[aria-current]")) button.removeAttribute("aria-current");
    const current = /** @type {HTMLElement | undefined} */ (this.list.children[at - 1]);
    current?.querySelector("button")?.setAttribute("aria-current", "step");
    if (current !== undefined) {
      // Only the list scrolls, never the page under the reader.
      const top = current.offsetTop - this.list.offsetTop;
      if (top < this.list.scrollTop) this.list.scrollTop = top;
      else if (top + current.offsetHeight > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + current.offsetHeight - this.list.clientHeight;
    } else {
      this.list.scrollTop = 0;
    }
  }
}

/** @param {import("../types.js").Move} move */
function row(move) {
  const opening = move.charged_ms === null;
  return h(
    "li",
    null,
    h(
      "button",
      { type: "button", class: "plain move", "data-ply": move.ply + 1 },
      h("span", { class: "quiet number" }, move.ply),
      disc(move.seat),
      h("span", { class: "what" }, move.name),
      h("span", { class: "quiet cost", title: opening ? t("opening") : null }, opening ? "–" : seconds(Number(move.charged_ms))),
    ),
  );
}
