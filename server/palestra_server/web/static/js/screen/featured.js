// @ts-check
// Which matches are worth the big screen, and why: those that decide a place, those of the leaders, and close ones.
import { tension } from "../tension.js";
/** @import { Fixture, LiveMatch, Row } from "../types.js" */
/** @import { Choice, Why } from "./programme.js" */

/** So long after its last move a match counts as left, whoever is still connected. */
const LEFT_MS = 120_000;

/**
 * Those that are played, the most interesting first. `moved`: when each last moved; `here`: who is connected; `rounds`: the
 * round of each match of the tournament `cup`.
 * @param {LiveMatch[]} matches
 * @param {{now: number, moved: (match: string) => number, here: (player: string) => boolean, rounds: Map<string, number>,
 *   cup: {name: string, state: string, round: number, rounds: number | null, knockout: boolean} | null, rows: Row[]}} known
 * @returns {Choice[]}
 */
export function choices(matches, { now, moved, here, rounds, cup, rows }) {
  const on = cup !== null && (cup.state === "running" || cup.state === "paused");
  return matches
    // Its first matches may be heard of before it is heard that it began.
    .filter(({ match, players, tournament }) => on === (tournament === cup?.name) && players.every(here) && now - moved(match) < LEFT_MS)
    .map((match) => {
      const ours = on ? stakes(match.players, rows, cup, rounds.get(match.match) ?? cup.round) : null;
      const tense = tension(match);
      const [worth, why] = ours ?? /** @type {[number, Why]} */ (tense > 0.6 ? [1, { code: "close" }] : [0, { code: "on" }]);
      return { match: match.match, worth: worth + Math.min(0.9, 0.5 * tense), why };
    })
    .sort((a, b) => b.worth - a.worth);
}

/**
 * What a match decides, from the most to the least. A match is worth a point.
 * @param {[string, string]} players @param {Row[]} rows @param {{round: number, rounds: number | null, knockout: boolean}} cup @param {number} round
 * @returns {[number, Why] | null}
 */
export function stakes(players, rows, { rounds, knockout }, round) {
  if (knockout && rounds !== null && round >= rounds - 2) {
    const left = rounds - round;
    return left === 0 ? [7, { code: "final" }] : left === 1 ? [5, { code: "semifinal" }] : [3, { code: "quarterfinal" }];
  }
  if (knockout) return [1.5, { code: "knockout" }];
  const ranked = rows.filter(({ reference }) => !reference);
  const found = players.map((player) => ranked.find((row) => row.player === player));
  const [first, second] = found;
  if (first === undefined || second === undefined || ranked[0].points === 0) return null;
  const [upper, lower] = first.rank <= second.rank ? [first, second] : [second, first];
  const gap = upper.points - lower.points;
  if (upper.rank === 1 && lower.rank === 1) return [5, { code: "lead" }];
  if (upper.rank === 1 && gap < 1) return [4.8, { code: "overtake", values: { name: lower.player, other: upper.player } }];
  if (upper.rank === 1 && gap === 1) return [4.5, { code: "level", values: { name: lower.player, other: upper.player } }];
  // Early in a tournament nearly everybody is a point from a place.
  if (upper.rank <= 3 && gap <= 1 && rounds !== null && round > rounds / 2) return [4.3 - 0.1 * upper.rank, { code: "place", values: { n: upper.rank } }];
  if (upper.rank === 1) return [3, { code: "leader", values: { name: upper.player } }];
  return null;
}

/**
 * The greatest surprise of a round, by the places before it: who won from how far below; null without one.
 * @param {Fixture[]} fixtures of the round @param {Row[]} rows
 */
export function upset(fixtures, rows) {
  const before = new Map(rows.filter(({ reference }) => !reference).map((row) => [row.player, row.before]));
  const least = Math.max(3, Math.ceil(before.size / 4));
  let found = null;
  for (const { players, game, returns, reason } of fixtures) {
    if (returns === null || returns[0] === returns[1] || reason === "not_ready" || reason === "walkover") continue;
    const [winner, loser] = returns[0] > returns[1] ? players : [players[1], players[0]];
    const by = (before.get(winner) ?? 0) - (before.get(loser) ?? Infinity);
    if (by >= least && by > (found?.by ?? 0)) found = { winner, loser, game, by };
  }
  return found;
}

/**
 * Who may still come first when everybody has as many matches left as `left` says, the leader first.
 * @param {Row[]} rows @param {(player: string) => number} left
 */
export function inReach(rows, left) {
  const ranked = rows.filter(({ reference, withdrawn }) => !reference && !withdrawn);
  return ranked.filter(({ player, points }) => points + left(player) >= (ranked[0]?.points ?? 0));
}
