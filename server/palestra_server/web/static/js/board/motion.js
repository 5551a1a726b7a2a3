// @ts-check
// What happened between two views of a board: which pieces fell how far, which a BOOM removed, which pits were sown.
/** @import { Cell, Seat, View } from "../types.js" */

/**
 * @typedef {{falls: Map<number, number>, gone: number[]}} GridMotion
 *   falls: for the index of a cell of the new view, the rows that its piece falls; gone: cells of the old view
 *   whose pieces blow up.
 */

/** @param {Cell} a @param {Cell} b */
const same = (a, b) => a.kind === b.kind && a.seat === b.seat;

/** @param {View} view @param {number} col @param {number} row */
const at = (view, col, row) => view.cells[row * view.cols + col];

/** Whether pieces fall: a move is a click on a whole column. @param {View} view */
export const falling = ({ actions, rows, cols }) => rows > 1 && actions.some(({ cells }) => cells.length === rows && cells.every((cell) => cell % cols === cells[0] % cols));

/**
 * How a grid of falling pieces came from `before` to `after`; null if it is not one of these motions.
 * @param {View} before @param {View} after
 * @returns {GridMotion | null}
 */
export function gridMotion(before, after) {
  if (!falling(before) || before.rows !== after.rows || before.cols !== after.cols) return null;
  const blast = blastRow(before, after);
  /** @type {GridMotion} */
  const motion = { falls: new Map(), gone: [] };
  for (let col = 0; col < after.cols; col++) {
    const old = height(before, col);
    const now = height(after, col);
    if (now === old + 1) {
      motion.falls.set((now - 1) * after.cols + col, after.rows - now + 1);
    } else if (now === old - 1) {
      const row = blast ?? firstChange(before, after, col);
      motion.gone.push(row * after.cols + col);
      for (let above = row; above < now; above++) motion.falls.set(above * after.cols + col, 1);
    } else if (now !== old) {
      return null;
    }
  }
  return motion.falls.size + motion.gone.length === 0 ? null : motion;
}

/**
 * Where the moves of a line are made: the cell in which a piece falls, or the pit that is emptied. It ends before a move
 * that takes pieces away, since later ones lie elsewhere.
 * @typedef {{cell: number, seat: Seat}} Step
 * @param {View[]} views the position before the line and after each of its moves @param {number[]} actions @returns {Step[]}
 */
export function stepsOf(views, actions) {
  /** @type {Step[]} */
  const steps = [];
  for (const [at, action] of actions.entries()) {
    const [before, after] = [views[at], views[at + 1]];
    const motion = gridMotion(before, after);
    const [cell] = before.kind === "pits" ? (before.actions.find((each) => each.action === action)?.cells ?? []) : motion === null || motion.gone.length > 0 ? [] : motion.falls.keys();
    if (cell === undefined || before.to_move === null) break;
    steps.push({ cell, seat: before.to_move });
  }
  return steps;
}

/** The pieces that stand in a column. @param {View} view @param {number} col */
function height(view, col) {
  let row = 0;
  while (row < view.rows && at(view, col, row).kind !== "empty") row++;
  return row;
}

/** The row of the bomb that went off: the mover had one, and has it no more. @param {View} before @param {View} after */
function blastRow(before, after) {
  const mine = (/** @type {Cell} */ cell) => cell.kind === "bomb" && cell.seat === before.to_move;
  const bomb = before.cells.findIndex(mine);
  return bomb < 0 || after.cells.some(mine) ? null : Math.floor(bomb / before.cols);
}

/** @param {View} before @param {View} after @param {number} col */
function firstChange(before, after, col) {
  let row = 0;
  while (row < before.rows - 1 && same(at(before, col, row), at(after, col, row))) row++;
  return row;
}

/**
 * The boards between two views of pits, one for each seed that is sown: counts by cell, and the stores.
 * Empty if the action is not one of sowing.
 * @param {View} before @param {View} after @param {number} action
 * @returns {{counts: number[], stores: [number, number], changed: number | "store"}[]}
 */
export function sowing(before, after, action) {
  const seat = before.to_move;
  const origin = before.actions.find((a) => a.action === action)?.cells[0];
  if (before.kind !== "pits" || before.stores === null || origin === undefined || seat === null) return [];
  const ring = ringOf(before.cols, seat);
  const counts = before.cells.map((cell) => cell.count);
  /** @type {[number, number]} */
  const stores = [before.stores[0], before.stores[1]];
  let seeds = counts[origin];
  let place = ring.indexOf(origin);
  counts[origin] = 0;
  const frames = [];
  while (seeds-- > 0) {
    place = (place + 1) % ring.length;
    const target = ring[place];
    if (target === "store") stores[seat]++;
    else counts[target]++;
    frames.push({ counts: [...counts], stores: /** @type {[number, number]} */ ([...stores]), changed: target });
  }
  const last = frames.at(-1);
  const agrees = last !== undefined && last.stores[1 - seat] <= (after.stores?.[1 - seat] ?? 0);
  return agrees ? frames : [];
}

/** The cells counter-clockwise, with the store of `seat` at its end. @param {number} cols @param {Seat} seat @returns {(number | "store")[]} */
function ringOf(cols, seat) {
  const bottom = Array.from({ length: cols }, (_, col) => col);
  const top = Array.from({ length: cols }, (_, col) => 2 * cols - 1 - col);
  return seat === 0 ? [...bottom, "store", ...top] : [...bottom, ...top, "store"];
}
