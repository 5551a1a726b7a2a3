// @ts-check
// Where a match was lost, as far as the bot that lost it knew: between two of its reports its value fell most.
/** @import { Move } from "./types.js" */

/**
 * A logarithm of both signs, from -1 to 1: a bot may count stones or millions.
 * @param {number} value @param {number} most the largest value of this bot without its sign
 */
export const squash = (value, most) => (most === 0 ? 0 : (Math.sign(value) * Math.log1p(Math.abs(value))) / Math.log1p(most));

// A value of no more than this share of the bot's worst is not lost yet.
const LOST = -0.5;

/**
 * The report before the fall and the one after it; null if the value did not fall from what was not lost yet, or came
 * back to what is not bad afterwards: then something else decided the match, such as the clock.
 * @param {Move[]} moves @param {[number, number]} returns
 * @returns {[Move, Move] | null}
 */
export function turningPoint(moves, returns) {
  if (returns[0] === returns[1]) return null;
  const loser = returns[0] < returns[1] ? 0 : 1;
  const said = moves.filter((move) => move.seat === loser && typeof move.info?.value === "number");
  const values = said.map((move) => Number(move.info?.value));
  const most = Math.max(...values.map(Math.abs));
  const shares = values.map((value) => squash(value, most));
  let at = -1;
  let deepest = 0;
  for (let next = said.length - 1; next > 0 && values[next] < 0; next--) {
    const fall = shares[next - 1] - shares[next];
    if (shares[next - 1] > LOST && fall > deepest) [at, deepest] = [next, fall];
  }
  return at < 0 ? null : [said[at - 1], said[at]];
}
