// @ts-check
// What the judge says of a match: the move that decided it, what is wrong with the programs, and how well each kept the value.
import { seconds, signed, sum } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";
import { copyable } from "./copy.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Analysis, Diagnosis, JudgedMove } from "../types.js" */

/** Shows the position after so many plies, and on its board a line that goes on from there. @typedef {(ply: number, line: number[]) => void} Look */

/** @param {{model: MatchModel, analysis: Analysis, onLook: Look}} props */
export function Judged({ model, analysis, onLook }) {
  const { decisive } = analysis;
  const sure = decisive && analysis.moves.some((move) => move.ply === decisive.ply && !move.estimate);
  const look = (/** @type {number} */ ply, /** @type {number[]} */ line, words = "turned.look") => h("button", { type: "button", onClick: () => onLook(ply, line) }, t(words));
  const line = (/** @type {string} */ words, /** @type {number} */ ply, /** @type {number[]} */ actions) =>
    actions.length === 0 ? null : h("div", { class: "quiet small line" }, t(words, { line: actions.map((action) => model.nameOf(action)).join(" · ") }), " ", look(ply, actions, "judged.draw"));
  const named = analysis.diagnoses.filter(({ values }) => values.of !== undefined);
  const items = analysis.diagnoses.filter((found) => !named.includes(found)).map((found) => h("li", null, diagnosis(model, analysis, found), " ", look(found.ply, found.line), line("judged.follows", found.ply, found.line)));
  const kept = analysis.accuracy.map(({ kept, choices }, seat) => {
    const [all, held] = [choices, kept].map(sum);
    return all === 0 ? null : h("li", null, t("judged.accuracy", { name: model.players[seat], kept: held, all, thirds: kept.map((n, i) => `${n}/${choices[i]}`).join(" · ") }));
  });
  return h(
    "div",
    { class: "card judged" },
    // What the bot said of a move is beside the position after it.
    named.map((found) => h("p", { class: "bug" }, diagnosis(model, analysis, found), " ", look(found.ply + 1, []))),
    decisive
      ? h(
          "div",
          null,
          t(sure ? "judge.decisive" : "judge.estimated", { player: model.players[decisive.seat], ply: decisive.ply, action: model.nameOf(decisive.action), better: model.nameOf(decisive.better) }),
          " ",
          look(decisive.ply, decisive.line),
          line("judged.better", decisive.ply, decisive.line),
          line("judged.refutation", decisive.ply, decisive.refutation),
        )
      : h("p", null, undecided(model, analysis)),
    h("ul", { class: "small" }, items, kept),
    decisive && h("div", { class: "quiet small" }, t("judged.terminal"), copyable(`palestra why ${model.match}`), copyable("palestra drill")),
  );
}

/** The sign of a move that changed what the position was worth, or alone kept it. @type {Record<string, string>} */
export const SIGNS = { only: "!", slip: "?", blunder: "??" };

/** What the position that is shown is worth. @param {{model: MatchModel, analysis: Analysis, at: number}} props `at`: the plies played there */
export function Worth({ model, analysis, at }) {
  const [before, here] = [at - 1, at].map((ply) => analysis.moves.find((move) => move.ply === ply));
  const kind = before && SIGNS[before.class] ? t(`class.${before.class}`) : "";
  return h("p", { class: "small quiet worth" }, [here && t("judged.here", { value: worthOf(valueOf(here), model) }), kind].filter(Boolean).join(" "));
}

/** @typedef {{chance: number, proved: boolean, plies?: number | null}} Value `chance`: of seat 0 to win, a draw counting half */

/** @param {JudgedMove} move the one that was made there @returns {Value} */
function valueOf({ seat, value, plies, estimate }) {
  const chance = estimate?.chance ?? (1 + Math.sign(value)) / 2;
  return { chance: seat === 0 ? chance : 1 - chance, proved: !estimate, plies };
}

/** Who is how likely to win, or wins in how many moves. @param {Value} value @param {MatchModel} model */
export function worthOf({ chance, proved, plies }, { players }) {
  const [name, share] = chance >= 0.5 ? [players[0], chance] : [players[1], 1 - chance];
  if (!proved) return t("judged.chance", { n: Math.round(100 * share), name });
  if (chance === 0.5) return t("value.drawn");
  return typeof plies === "number" ? t("judged.won.in", { name, n: Math.ceil(plies / 2) }) : t("judged.won", { name });
}

/** @param {MatchModel} model @param {Analysis} analysis @param {Diagnosis} found */
function diagnosis(model, analysis, { code, seat, ply, values }) {
  const move = analysis.moves.find((each) => each.ply === ply);
  const said = {
    ...values,
    player: model.players[seat],
    ply,
    action: move ? model.nameOf(move.action) : "",
    better: move ? model.nameOf(move.best) : "",
    took_ms: `${seconds(values.took_ms ?? 0)} s`,
    move_ms: `${seconds(values.move_ms ?? 0)} s`,
    told: signed(values.told ?? 0),
    sound: signed(values.sound ?? 0),
    worth: t(`worth.${Math.sign(values.worth ?? 0)}`),
  };
  if (values.of !== undefined) return [`diagnosis.${code}`, values.matches === undefined ? "diagnosis.fits" : "diagnosis.others", `mend.${code}`].map((key) => t(key, said)).join("");
  return t(FLAWS.includes(code) ? "diagnosis.there" : `diagnosis.${code}`, said).replace(/\b1 (move|jugada)s\b/, "1 $1");
}

/** Why no move decided it. @param {MatchModel} model @param {Analysis} analysis */
function undecided({ result, players }, { moves }) {
  const loser = result?.returns.findIndex((points) => points < 0) ?? -1;
  if (loser < 0) return t(result ? "judge.drawn" : "judge.undecided");
  const start = moves.find(({ seat }) => seat === loser);
  return start && !start.estimate && start.value < 0 ? t("judge.from_start", { player: players[loser] }) : t("judge.undecided");
}

const FLAWS = ["depth", "sign", "view", "ends", "last_move", "extra_turn", "capture", "bomb"];
