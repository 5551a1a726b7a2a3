// @ts-check
// What a move did, as facts that the boards before and after it show: nothing here guesses.
/** @import { Move, Seat, View } from "../types.js" */

const FOUR = 4;
/** Where four in a row win. */
export const WINNING = ["connect4", "connect4-8x8"];

/** The cells in which a piece of this seat could fall now and make four in a row, by column. @param {View} view @param {Seat} seat @returns {Map<number, number>} */
export function threats(view, seat) {
  const found = new Map();
  if (view.kind !== "grid") return found;
  for (let col = 0; col < view.cols; col++) {
    let row = 0;
    while (row < view.rows && view.cells[row * view.cols + col].kind !== "empty") row++;
    if (row < view.rows && makesFour(view, col, row, seat)) found.set(col, row * view.cols + col);
  }
  return found;
}

/** Those of both seats, in a game that four in a row win. @param {string} game @param {View} view @returns {{cell: number, seat: Seat}[]} */
export function allThreats(game, view) {
  if (!WINNING.includes(game) || view.returns !== null) return [];
  return /** @type {const} */ ([0, 1]).flatMap((seat) => [...threats(view, seat).values()].map((cell) => ({ cell, seat })));
}

/** @param {View} view @param {number} col @param {number} row @param {Seat} seat */
function makesFour(view, col, row, seat) {
  const mine = (/** @type {number} */ x, /** @type {number} */ y) => x >= 0 && x < view.cols && y >= 0 && y < view.rows && view.cells[y * view.cols + x].kind === "piece" && view.cells[y * view.cols + x].seat === seat;
  const along = (/** @type {number} */ dx, /** @type {number} */ dy) => {
    let n = 0;
    while (mine(col + dx * (n + 1), row + dy * (n + 1))) n++;
    return n;
  };
  return [[1, 0], [0, 1], [1, 1], [1, -1]].some(([dx, dy]) => along(dx, dy) + along(-dx, -dy) + 1 >= FOUR);
}

/**
 * What there is to say of a move: keys of the catalogue with their values, the weightiest first.
 * @param {string} game @param {View} before @param {View} after @param {Move} move
 * @returns {[string, Record<string, string | number>][]}
 */
export function facts(game, before, after, { seat, name }) {
  if (after.kind === "pits") return sown(before, after, seat);
  if (name === "BOOM") return [["fact.boom", { n: count(before) - count(after) }]];
  if (!WINNING.includes(game)) return [];
  if (after.returns !== null) return after.returns[seat] > 0 ? [["fact.four", {}]] : [];
  const col = Number(name.split(" ")[1]) - 1;
  const other = /** @type {Seat} */ (1 - seat);
  const [could, feared, now] = [threats(before, seat), threats(before, other), threats(after, seat)];
  const columns = (/** @type {Iterable<number>} */ cols) => [...cols].map((each) => each + 1).join(", ");
  /** @type {[string, Record<string, string | number>][]} */
  const said = [];
  if (could.size > 0 && !could.has(col)) said.push(["fact.missed", { columns: columns(could.keys()) }]);
  if (feared.has(col)) said.push(["fact.blocks", { columns: col + 1 }]);
  else if (feared.size > 0) said.push(["fact.allows", { columns: columns(feared.keys()) }]);
  if (now.size > 0) said.push([now.size > 1 ? "fact.threatens.two" : "fact.threatens", { columns: columns(now.keys()) }]);
  return said;
}

/** @param {View} before @param {View} after @param {Seat} seat @returns {[string, Record<string, string | number>][]} */
function sown(before, after, seat) {
  const gained = (after.stores?.[seat] ?? 0) - (before.stores?.[seat] ?? 0);
  const again = after.returns === null && after.to_move === seat;
  return [...(again ? [/** @type {[string, {}]} */ (["fact.again", {}])] : []), ...(gained > 1 ? [/** @type {[string, {n: number}]} */ (["fact.gathers", { n: gained }])] : [])];
}

/** @param {View} view */
const count = (view) => view.cells.filter(({ kind }) => kind !== "empty").length;
