// @ts-check
// Pits and stores as SVG; seeds are sown one by one, counter-clockwise. An upright board is the same one turned to the
// right, so that on a phone the pits are as large as a finger: the first player's store is below, near the name.
import { h } from "../view.js";
import { pitNumber } from "./words.js";
/** @import { View } from "../types.js" */

const WIDE = 92;
const STORE = 104;
const TALL = 112;
const EDGE = 44;
/** From the middle of a pit to its number: between the pits, where no ring covers it. */
const [ALONG, INWARD] = [-36, 41];
export const SEED_MS = 60;

const HEIGHT = 2 * TALL + 2 * EDGE;

/** @param {View} view @param {boolean} upright @returns {[number, number]} */
export function pitsSize(view, upright) {
  const long = view.cols * WIDE + 2 * STORE;
  return upright ? [HEIGHT, long] : [long, HEIGHT];
}

/** A place of the board that lies, on the one that is shown. @param {boolean} upright @param {number} x @param {number} y @returns {[number, number]} */
const at = (upright, x, y) => (upright ? [HEIGHT - y, x] : [x, y]);

/** The middle of a pit. @param {View} view @param {number} index @param {boolean} upright @returns {[number, number]} */
export function pitMiddle(view, index, upright) {
  const row = Math.floor(index / view.cols);
  return at(upright, STORE + ((index % view.cols) + 0.5) * WIDE, EDGE + (row === 0 ? 1.5 : 0.5) * TALL);
}

/**
 * @param {View} view
 * @param {boolean} upright
 * @param {{counts: number[], stores: [number, number], changed: number | "store" | null} | null} [frame] a moment of sowing
 * @param {number | null} [origin] the pit that was emptied
 */
export function drawPits(view, upright, frame = null, origin = null) {
  const [width, height] = pitsSize(view, upright);
  const long = Math.max(width, height);
  const counts = frame?.counts ?? view.cells.map((cell) => cell.count);
  const stores = frame?.stores ?? view.stores ?? [0, 0];
  /** @type {import("../view.js").VNode[]} */
  const parts = [h("rect", { class: "ground", width, height, rx: 16 })];
  view.cells.forEach((cell, index) => {
    const [x, y] = pitMiddle(view, index, upright);
    const row = Math.floor(index / view.cols);
    const beside = row === 0 ? HEIGHT - 24 : 25;
    parts.push(h("circle", { class: "hole", cx: x, cy: y, r: 40 }), seeds(counts[index], cell.seat, x, y, 30));
    parts.push(h("text", { class: counts[index] === 0 ? "pit-count none" : "pit-count", x: upright ? HEIGHT - beside : x, y: upright ? y : beside }, counts[index]));
    if (index === origin || index === frame?.changed) parts.push(h("circle", { class: "ring", cx: x, cy: y, r: 42 }));
  });
  for (const seat of /** @type {const} */ ([0, 1])) {
    const along = seat === 0 ? long - STORE / 2 : STORE / 2;
    const [x, y] = at(upright, along, HEIGHT / 2);
    const [sx, sy] = at(upright, along, HEIGHT / 2 + (seat === 0 ? -70 : 70));
    const [wide, tall] = upright ? [2 * TALL + 12, 68] : [68, 2 * TALL + 12];
    parts.push(h("rect", { class: "hole", x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: 34 }));
    parts.push(h("text", { class: `store-count s${seat}`, x, y }, stores[seat]));
    parts.push(seeds(Math.min(stores[seat], 12), seat, sx, sy, 22, 5));
  }
  return parts;
}

/** Seeds in the spiral of a sunflower. @param {number} count @param {0 | 1 | null} seat @param {number} x @param {number} y @param {number} radius */
function seeds(count, seat, x, y, radius, size = 6.5) {
  const shown = Math.min(count, 24);
  const seed = (/** @type {number} */ at) => {
    const far = radius * Math.sqrt((at + 0.35) / Math.max(shown, 7));
    const angle = at * 2.39996;
    return h("circle", { class: `seed s${seat}`, cx: x + far * Math.cos(angle), cy: y + far * Math.sin(angle), r: size });
  };
  return h("g", null, Array.from({ length: shown }, (_, at) => seed(at)));
}

/** The number of each pit, by which its move is called. @param {View} view @param {boolean} upright */
export function pitNumbers(view, upright) {
  return h(
    "g",
    { class: "numbers pits", "aria-hidden": "true" },
    view.cells.map((_, index) => {
      const [x, y] = pitMiddle(view, index, upright);
      const inward = index < view.cols ? -INWARD : INWARD;
      return h("text", upright ? { x: x - inward, y: y + ALONG } : { x: x + ALONG, y: y + inward }, pitNumber(view, index));
    }),
  );
}

/** The pit that an action of `before` empties. @param {View | null} before @param {number | null} action */
export const emptied = (before, action) => before?.actions.find((a) => a.action === action)?.cells[0] ?? null;
