// @ts-check
// The bots' reports over the plies: each one's value as a line, the time for each move as a bar.
import { fill, svg } from "../dom.js";
import { seconds, signed } from "../format.js";
import { t } from "../i18n.js";
import { squash } from "../turn.js";

/** @typedef {import("../match_model.js").MatchModel} MatchModel */

const WIDTH = 330;
const VALUES = 92;
const BARS = 36;
const GAP = 14;
const HEIGHT = VALUES + GAP + BARS;

/** @param {(ply: number) => void} go called with the plies played at the position that was clicked */
export function createGraph(go) {
  const drawing = svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  let plies = 1;
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const at = Math.round((((/** @type {MouseEvent} */ (event)).clientX - box.left) / box.width) * plies + 0.5);
    go(Math.max(0, Math.min(plies, at)));
  });
  /** @param {MatchModel} model @param {number} at */
  const show = (model, at) => {
    plies = Math.max(1, model.plies);
    drawing.toggleAttribute("hidden", model.moves.every((move) => move.charged_ms === null));
    draw(drawing, model, at, Math.max(12, plies));
  };
  return { element: drawing, show };
}

/** @param {SVGElement} drawing @param {MatchModel} model @param {number} at @param {number} span */
function draw(drawing, model, at, span) {
  const step = WIDTH / span;
  const x = (/** @type {number} */ ply) => (ply + 0.5) * step;
  const parts = [svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: VALUES / 2, y2: VALUES / 2 })];
  const said = model.moves.filter((move) => typeof move.info?.value === "number");
  for (const seat of /** @type {const} */ ([0, 1])) {
    const mine = said.filter((move) => move.seat === seat);
    const most = Math.max(0, ...mine.map((move) => Math.abs(Number(move.info?.value))));
    // Both lines are from seat 0's view, so that two bots that agree draw one line.
    const side = seat === 0 ? 1 : -1;
    const spots = mine.map((move) => [x(move.ply), VALUES / 2 - side * squash(Number(move.info?.value), most) * (VALUES / 2 - 4)]);
    parts.push(svg("polyline", { class: `value s${seat}`, points: spots.map((spot) => spot.map((n) => n.toFixed(1)).join(",")).join(" ") }));
    if (spots.length < 40) {
      const mark = seat === 0 ? (/** @type {number[]} */ [cx, cy]) => svg("circle", { class: "value-mark s0", cx, cy, r: 2.6 })
        : (/** @type {number[]} */ [cx, cy]) => svg("rect", { class: "value-mark s1", x: cx - 2.4, y: cy - 2.4, width: 4.8, height: 4.8 });
      parts.push(...spots.map(mark));
    }
  }
  const top = VALUES + GAP;
  parts.push(svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }));
  for (const move of model.moves) {
    const part = Math.min(1, (move.charged_ms ?? 0) / model.budgets[move.seat]);
    if (move.charged_ms === null || part === 0) continue;
    const height = Math.max(1, part * BARS);
    parts.push(svg("rect", { class: `cost s${move.seat}`, x: move.ply * step + step * 0.15, y: top + BARS - height, width: step * 0.7, height }));
  }
  if (at > 0) parts.push(svg("line", { class: "cursor", x1: x(at - 1), x2: x(at - 1), y1: 0, y2: HEIGHT }));
  const last = said.at(-1);
  const paid = model.moves.reduce((sum, move) => sum + (move.charged_ms ?? 0), 0);
  const value = last === undefined ? "" : `${model.players[last.seat]} ${signed(Number(last.info?.value))}. `;
  drawing.setAttribute("aria-label", `${t("graph.label")}. ${value}${t("graph.time", { s: seconds(paid, 1) })}`);
  fill(drawing, ...parts);
}
