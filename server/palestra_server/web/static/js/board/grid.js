// @ts-check
// A grid of cells as SVG: holes, pieces, the last move, the line that decided, and how pieces move.
import { svg } from "../dom.js";
import { gridMotion } from "./motion.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Cell} Cell */

export const CELL = 80;
const FALL_MS = 180;
const BLAST_MS = 320;

/** The middle of a cell. @param {View} view @param {number} index @returns {[number, number]} */
export function middle(view, index) {
  const row = Math.floor(index / view.cols);
  return [((index % view.cols) + 0.5) * CELL, (view.rows - row - 0.5) * CELL];
}

/** @param {View} view @returns {[number, number]} */
export const gridSize = (view) => [view.cols * CELL, view.rows * CELL];

/**
 * The drawing of `view`; what was played last is marked by comparing it with the view before.
 * @param {View} view
 * @param {View | null} before
 * @returns {SVGElement[]}
 */
export function drawGrid(view, before) {
  const [width, height] = gridSize(view);
  const motion = before === null ? null : gridMotion(before, view);
  const layer = svg("g", { class: "pieces" });
  const holes = svg("g");
  view.cells.forEach((cell, index) => {
    const [x, y] = middle(view, index);
    holes.append(svg("circle", { class: "hole", cx: x, cy: y, r: 31 }));
    if (cell.kind !== "empty") layer.append(piece(cell, x, y, index));
  });
  const ground = svg("rect", { class: "ground", width, height, rx: 12 });
  return [ground, holes, layer, svg("g", { class: "marks" }, marks(view, motion))];
}

/** @param {Cell} cell @param {number} x @param {number} y @param {number} [index] */
export function piece(cell, x, y, index) {
  const sign = cell.seat === 1 ? svg("circle", { class: "sign", r: 6 }) : svg("circle", { class: "sign", r: 22 });
  const inside = cell.kind === "bomb" ? star() : cell.kind === "piece" ? null : word(cell.kind);
  const moving = svg("g", { class: "moving" }, svg("circle", { class: "body", r: 32 }), inside === null || cell.seat === 0 ? sign : null, inside);
  return svg(
    "g",
    { class: `piece ${cell.seat === null ? "" : `s${cell.seat}`} ${cell.highlight ? "decides" : ""}`, transform: `translate(${x} ${y})`, "data-cell": index },
    moving,
  );
}

function star() {
  const rays = [0, 45, 90, 135].map((angle) => svg("line", { y1: -11, y2: 11, transform: `rotate(${angle})` }));
  return svg("g", { class: "star" }, rays);
}

/** A kind of piece that this page does not know: its first letter. @param {string} kind */
function word(kind) {
  return svg("text", { class: "word" }, kind.slice(0, 1).toUpperCase());
}

/** @param {View} view @param {ReturnType<typeof gridMotion>} motion */
function marks(view, motion) {
  const won = view.cells.flatMap((cell, index) => (cell.highlight ? [index] : []));
  const dropped = motion !== null && motion.gone.length === 0 ? [...motion.falls.keys()] : [];
  const rings = dropped.filter((index) => !won.includes(index)).map((index) => ring(view, index, "ring"));
  return [...decidingLines(view), ...won.map((index) => ring(view, index, "ring won")), ...rings];
}

/** @param {View} view @param {number} index @param {string} kind */
function ring(view, index, kind) {
  const [cx, cy] = middle(view, index);
  return svg("circle", { class: kind, cx, cy, r: 35.5 });
}

/** A stroke through each run of three or more deciding cells of one colour. @param {View} view */
function decidingLines(view) {
  /** @type {SVGElement[]} */
  const lines = [];
  const deciding = (/** @type {number} */ col, /** @type {number} */ row, /** @type {0 | 1 | null} */ seat) => {
    const cell = col >= 0 && col < view.cols && row >= 0 && row < view.rows ? view.cells[row * view.cols + col] : null;
    return cell !== null && cell.highlight && cell.seat === seat;
  };
  for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    view.cells.forEach((cell, index) => {
      const col = index % view.cols;
      const row = Math.floor(index / view.cols);
      if (!cell.highlight || deciding(col - dx, row - dy, cell.seat)) return;
      let length = 1;
      while (deciding(col + dx * length, row + dy * length, cell.seat)) length++;
      if (length < 3) return;
      const [x1, y1] = middle(view, index);
      lines.push(svg("line", { class: "deciding", x1, y1, x2: x1 + dx * CELL * (length - 1), y2: y1 - dy * CELL * (length - 1) }));
    });
  }
  return lines;
}

/**
 * Plays the motion from `before` in a drawing of `view` that is on the page already.
 * @param {SVGElement} drawing @param {View} view @param {View} before
 * @returns {Animation[]}
 */
export function moveGrid(drawing, view, before) {
  const motion = gridMotion(before, view);
  if (motion === null) return [];
  const layer = /** @type {SVGElement} */ (drawing.querySelector(".pieces"));
  const blast = motion.gone.length > 0;
  const animations = blast ? blow(layer, before, motion.gone) : [];
  const marked = /** @type {SVGElement} */ (drawing.querySelector(".marks"));
  const delay = blast ? BLAST_MS : 0;
  const falls = [...motion.falls.values()];
  const longest = Math.max(0, ...falls.map((rows) => FALL_MS * Math.sqrt(Math.max(1, rows) / 6)));
  for (const [index, rows] of motion.falls) {
    const body = layer.querySelector(`[data-cell="${index}"] .moving`);
    if (body === null) continue;
    const duration = FALL_MS * Math.sqrt(rows / 6) + 60;
    const from = `translateY(${-rows * CELL}px)`;
    animations.push(
      body.animate([{ transform: from }, { transform: "none" }], { duration, delay, fill: "backwards", easing: "cubic-bezier(.5,0,.9,.6)" }),
    );
  }
  animations.push(marked.animate([{ opacity: 0 }, { opacity: 0 }], { duration: delay + longest + 60 }));
  return animations;
}

/** The pieces that go swell and clear. @param {SVGElement} layer @param {View} before @param {number[]} gone */
function blow(layer, before, gone) {
  return gone.flatMap((index) => {
    const [x, y] = middle(before, index);
    const body = piece(before.cells[index], x, y);
    const flash = svg("g", { transform: `translate(${x} ${y})` }, svg("circle", { class: "blast", r: 32 }));
    layer.append(flash, body);
    const moving = /** @type {SVGElement} */ (body.firstElementChild);
    const light = /** @type {SVGElement} */ (flash.firstElementChild);
    const timing = { duration: BLAST_MS, fill: /** @type {const} */ ("forwards") };
    const grown = moving.animate(
      [{ transform: "scale(1)", opacity: 1 }, { transform: "scale(1.25)", opacity: 1, offset: 0.45 }, { transform: "scale(.2)", opacity: 0 }],
      timing,
    );
    const lit = light.animate([{ transform: "scale(.4)", opacity: 0.9 }, { transform: "scale(1.5)", opacity: 0 }], timing);
    const clear = () => {
      body.remove();
      flash.remove();
    };
    grown.finished.then(clear, clear);
    return [grown, lit];
  });
}
