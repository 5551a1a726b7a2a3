// @ts-check
// One line on a move, and the whole match as text to copy.
import { facts } from "../board/facts.js";
import { ending, gameName, ruled, score } from "../format.js";
import { t } from "../i18n.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Ruling } from "../types.js" */

/**
 * What the move to this position did; "" where there is nothing to say.
 * @param {MatchModel} model @param {number} at the plies played there @param {string | null} leader who lost, if that was the leader's first loss
 */
export function commentary(model, at, leader) {
  const [before, after, move] = [model.views[at - 1], model.views[at], model.moves[at - 1]];
  if (before === undefined || after === undefined) return "";
  const said = facts(model.game, before, after, move).map(([key, values]) => t(key, values));
  if (leader !== null && at === model.plies) said.push(t("fact.first.loss", { name: leader }));
  return said.length === 0 ? "" : `${move.name}: ${said.join("; ")}.`;
}

/** The match in a notation that is read without a page: who, how it ended, and each move with what is said of it. @param {MatchModel} model @param {string | null} leader @param {Ruling} [ruling] */
export function notation(model, leader, ruling) {
  const { players, game, moves, result } = model;
  const lines = moves.map((move, at) => `${String(move.ply).padStart(3)}  ${players[move.seat]}  ${commentary(model, at + 1, leader) || move.name}`);
  return [`${players[0]} – ${players[1]}, ${gameName(game)}`, result === null ? "" : `${score(result)}  ${ending({ players, game, ...result })} ${ruled({ ruling })}`.trim(), "", ...lines, ""].join("\n");
}
