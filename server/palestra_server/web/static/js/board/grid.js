// @ts-check
// A grid of cells as SVG: holes, pieces, the last move, the line that decided, and how pieces move.
import { h, render } from "../view.js";
import { falling, gridMotion } from "./motion.js";
/** @import { Cell, Seat, View } from "../types.js" */
/** @import { Children, VNode } from "../view.js" */

export const CELL = 80;
/** The height of the line of numbers under a grid. */
export const NUMBERS = 34;
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
 * @param {Children} under what lies under the pieces
 * @param {number | null} action
 */
export function drawGrid(view, before, under, action) {
  const [width, height] = gridSize(view);
  const motion = before === null ? null : gridMotion(before, view);
  const places = falling(view) ? [] : before?.actions.find((each) => each.action === action)?.cells ?? [];
  return [
    h("rect", { class: "ground", width, height, rx: 12 }),
    h("g", null, view.cells.map((_, index) => hole(view, index))),
    under,
    h("g", { class: "pieces" }, view.cells.map((cell, index) => (cell.kind === "empty" ? null : piece(cell, ...middle(view, index), index)))),
    h("g", { class: "blasts" }),
    h("g", { class: "marks" }, marks(view, motion, places)),
  ];
}

/** Where a seat could make four now. @param {View} view @param {{cell: number, seat: Seat}} of */
export function threat(view, { cell, seat }) {
  const [cx, cy] = middle(view, cell);
  return h("circle", { class: `threat s${seat}`, cx, cy, r: seat === 0 ? 25 : 13 });
}

/** The number of each column, under it. @param {View} view */
export function columnNumbers(view) {
  const [, height] = gridSize(view);
  return h("g", { class: "numbers", "aria-hidden": "true" }, Array.from({ length: view.cols }, (_, col) => h("text", { x: (col + 0.5) * CELL, y: height + NUMBERS / 2 + 2 }, col + 1)));
}

/** @param {View} view @param {number} index */
function hole(view, index) {
  const [cx, cy] = middle(view, index);
  return h("circle", { class: "hole", cx, cy, r: 31 });
}

/** @param {Cell} cell @param {number} x @param {number} y @param {number} [index] */
export function piece(cell, x, y, index) {
  const sign = h("circle", { class: "sign", r: cell.seat === 1 ? 6 : 22 });
  const inside = cell.kind === "bomb" ? star() : cell.kind === "piece" ? null : word(cell.kind);
  const moving = h("g", { class: "moving" }, h("circle", { class: "body", r: 32 }), inside === null || cell.seat === 0 ? sign : null, inside);
  const kind = `piece ${cell.seat === null ? "" : `s${cell.seat}`} ${cell.highlight ? "decides" : ""}`;
  return h("g", { key: index, class: kind, transform: `translate(${x} ${y})`, "data-cell": index }, moving);
}

const star = () => h("g", { class: "star" }, [0, 45, 90, 135].map((angle) => h("line", { y1: -11, y2: 11, transform: `rotate(${angle})` })));

/** A kind of piece that this page does not know: its first letter. @param {string} kind */
const word = (kind) => h("text", { class: "word" }, kind.slice(0, 1).toUpperCase());

/** @param {View} view @param {ReturnType<typeof gridMotion>} motion @param {number[]} places where nothing falls */
function marks(view, motion, places) {
  const won = view.cells.flatMap((cell, index) => (cell.highlight ? [index] : []));
  const dropped = motion !== null && motion.gone.length === 0 ? [...motion.falls.keys()] : places;
  const rings = dropped.filter((index) => !won.includes(index)).map((index) => ring(view, index, "ring"));
  return [...decidingLines(view), ...won.map((index) => ring(view, index, `ring ${decides(view, index)}`)), ...rings];
}

/** @param {View} view @param {number} index @param {string} kind */
function ring(view, index, kind) {
  const [cx, cy] = middle(view, index);
  return h("circle", { class: kind, cx, cy, r: 35.5 });
}

/** Whether a deciding piece won or, as in a game where four in a row lose, lost. @param {View} view @param {number} index */
function decides(view, index) {
  const { seat } = view.cells[index];
  return seat !== null && view.returns !== null && view.returns[seat] < 0 ? "lost" : "won";
}

/** A stroke through each run of three or more deciding cells of one colour. @param {View} view */
function decidingLines(view) {
  /** @type {VNode[]} */
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
      lines.push(h("line", { class: `deciding ${decides(view, index)}`, x1, y1, x2: x1 + dx * CELL * (length - 1), y2: y1 - dy * CELL * (length - 1) }));
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
  const animations = blast ? blow(/** @type {SVGElement} */ (drawing.querySelector(".blasts")), before, motion.gone) : [];
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
  const flash = (/** @type {number} */ index) => {
    const [x, y] = middle(before, index);
    return [h("g", { transform: `translate(${x} ${y})` }, h("circle", { class: "blast", r: 32 })), piece(before.cells[index], x, y)];
  };
  render(null, layer);
  render(h("g", null, gone.map(flash)), layer);
  const mine = layer.firstElementChild;
  const timing = { duration: BLAST_MS, fill: /** @type {const} */ ("forwards") };
  const swell = [{ transform: "scale(1)", opacity: 1 }, { transform: "scale(1.25)", opacity: 1, offset: 0.45 }, { transform: "scale(.2)", opacity: 0 }];
  const light = [{ transform: "scale(.4)", opacity: 0.9 }, { transform: "scale(1.5)", opacity: 0 }];
  const grown = [...layer.querySelectorAll(".moving")].map((body) => body.animate(swell, timing));
  const lit = [...layer.querySelectorAll(".blast")].map((body) => body.animate(light, timing));
  // Unless another one swells there by then.
  const clear = () => layer.firstElementChild === mine && render(null, layer);
  Promise.all(grown.map(({ finished }) => finished)).then(clear, clear);
  return [...grown, ...lit];
}
