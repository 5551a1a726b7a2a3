// @ts-check
// The two bots' search reports at the position shown, and the graph over the plies.
import { fill, h } from "../dom.js";
import { compact, signed } from "../format.js";
import { t } from "../i18n.js";
import { createGraph } from "./graph.js";
import { turningPoint } from "../turn.js";
import { disc } from "./seat.js";

/** @typedef {import("../match_model.js").MatchModel} MatchModel */

export class Reports {
  /** @param {(ply: number) => void} go */
  constructor(go) {
    this.graph = createGraph(go);
    this.axis = h("div", { class: "quiet small" });
    this.rows = h("tbody");
    this.line = h("p", { class: "quiet small pv" });
    this.turn = h("p", { class: "turned", hidden: true });
    this.go = go;
    /** @type {import("../types.js").Result | null} what `turn` was told for */
    this.told = null;
    const head = ["depth", "nodes", "value"].map((key) => h("th", { class: "num" }, t(`info.${key}`)));
    this.element = h(
      "div",
      { class: "card reports" },
      this.axis,
      this.graph.element,
      h("table", null, h("thead", null, h("tr", null, h("th", null, t("info.bot")), head)), this.rows),
      this.line,
      this.turn,
    );
  }

  /** @param {MatchModel} model @param {number} at */
  show(model, at) {
    this.axis.textContent = t("graph.axis", { name: model.players[0] });
    this.graph.show(model, at);
    this.#showTurn(model);
    const before = model.moves.slice(0, at).reverse();
    const last = before.find((move) => move.info !== null);
    fill(this.rows, ...[1, 0].map((seat) => this.#row(model, before, /** @type {0 | 1} */ (seat))));
    const pv = last?.info?.pv?.map((action) => model.nameOf(action)).join(" · ");
    const text = last?.info?.text;
    this.element.classList.toggle("silent", last === undefined);
    fill(
      this.line,
      last === undefined ? t("info.none") : null,
      pv ? t("info.pv", { line: pv }) : null,
      pv && text ? h("br") : null,
      text && last ? `${model.players[last.seat]}: ${text}` : null,
    );
  }

  /** For who wants to know where the match was lost. @param {MatchModel} model */
  #showTurn(model) {
    if (model.result === this.told) return;
    this.told = model.result;
    const found = model.result === null ? null : turningPoint(model.moves, model.result.returns);
    this.turn.hidden = found === null;
    if (found === null) return;
    const [before, after] = found;
    const [n, later] = [before.ply, after.ply];
    const said = t("turned", { name: model.players[before.seat], n, later, value: signed(Number(before.info?.value)), fell: signed(Number(after.info?.value)) });
    fill(this.turn, said, " ", h("button", { type: "button", onclick: () => this.go(before.ply) }, t("turned.look")));
  }

  /** @param {MatchModel} model @param {import("../types.js").Move[]} before @param {0 | 1} seat */
  #row(model, before, seat) {
    const info = before.find((move) => move.seat === seat && move.info !== null)?.info ?? null;
    const cell = (/** @type {number | undefined | null} */ value, /** @type {(n: number) => string} */ say) =>
      h("td", { class: "num" }, typeof value === "number" ? say(value) : "–");
    return h(
      "tr",
      null,
      h("td", { class: "bot" }, disc(seat), " ", model.players[seat]),
      cell(info?.depth, String),
      cell(info?.nodes, compact),
      cell(info?.value, signed),
    );
  }
}
