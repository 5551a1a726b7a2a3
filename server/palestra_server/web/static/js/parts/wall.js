// @ts-check
// How large boards are, so that all that are on are seen at once: few are large, many are small.

const GAP = 12;
/** Width by height of a board that is a grid, and of one that is a row of pits. */
const [GRID, FLAT] = [1.17, 2.44];
/** What a card has beside its board, in px of its height and its width: with a line about the match and bars, or without. */
const [ROOMY, DENSE] = [{ tall: 150, wide: 34 }, { tall: 66, wide: 14 }];
/** That may cost so much of a board, and more of one that is this large. */
const [SHARE, LARGE] = [0.8, 280];
/** Lower boards can't be read: then there are more than fit. */
const LOWEST = 80;

/** @typedef {{columns: number, board: number, dense: boolean}} Wall `board`: its height in px */

/**
 * @param {number} n how many boards @param {number} flat how many of them are rows of pits
 * @param {number} width @param {number} height of the space for them
 * @returns {Wall}
 */
export function fit(n, flat, width, height) {
  /** @param {number} columns @param {{tall: number, wide: number}} card */
  const board = (columns, card) => {
    const rows = Math.ceil((n + (columns > 1 ? flat : 0)) / columns);
    const ratio = flat === n ? FLAT / Math.min(2, columns) : GRID;
    return Math.floor(Math.min((height - GAP * (rows - 1)) / rows - card.tall, ((width - GAP * (columns - 1)) / columns - card.wide) / ratio));
  };
  const best = (/** @type {{tall: number, wide: number}} */ card) =>
    Array.from({ length: Math.max(n, 1) }, (_, at) => ({ columns: at + 1, board: board(at + 1, card) })).reduce((one, other) => (other.board > one.board ? other : one));
  const [roomy, dense] = [best(ROOMY), best(DENSE)];
  if (roomy.board >= Math.max(LOWEST, Math.min(LARGE, SHARE * dense.board))) return { ...roomy, dense: false };
  if (dense.board >= LOWEST) return { ...dense, dense: true };
  const columns = Math.max(1, Math.floor((width + GAP) / (LOWEST * GRID + DENSE.wide + GAP)));
  return { columns, board: Math.floor(((width + GAP) / columns - GAP - DENSE.wide) / GRID), dense: true };
}
