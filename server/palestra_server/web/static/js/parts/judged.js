// @ts-check
// What the judge says of a match: the move that decided it, what is wrong with the programs, and how well each kept the value.
import { seconds, signed } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";

/** @typedef {import("../match_model.js").MatchModel} MatchModel */
/** @typedef {import("../types.js").Analysis} Analysis */
/** @typedef {import("../types.js").Diagnosis} Diagnosis */

/** @param {{model: MatchModel, analysis: Analysis, onGo: (ply: number) => void}} props */
export function Judged({ model, analysis, onGo }) {
  const { decisive } = analysis;
  const sure = decisive !== null && decisive !== undefined && analysis.moves.some((move) => move.ply === decisive.ply && !move.estimate);
  const line = (/** @type {number[]} */ actions) => actions.map((action) => model.nameOf(action)).join(" · ");
  const items = analysis.diagnoses.map((found) => h("li", null, diagnosis(model, analysis, found), " ", look(found.ply, onGo), found.line.length > 0 ? h("div", { class: "quiet" }, t("judged.follows", { line: line(found.line) })) : null));
  const kept = analysis.accuracy.map(({ kept, choices }, seat) => {
    const [all, held] = [choices, kept].map((thirds) => thirds.reduce((sum, n) => sum + n, 0));
    return all === 0 ? null : h("li", null, t("judged.accuracy", { name: model.players[seat], kept: held, all, thirds: kept.map((n, i) => `${n}/${choices[i]}`).join(" · ") }));
  });
  return h(
    "div",
    { class: "card judged" },
    decisive
      ? h(
          "p",
          null,
          t(sure ? "judged.decisive" : "judged.estimated", { name: model.players[decisive.seat], n: decisive.ply, action: model.nameOf(decisive.action), better: model.nameOf(decisive.better) }),
          " ",
          look(decisive.ply, onGo),
          h("span", { class: "quiet small line" }, t("judged.better", { line: line(decisive.line) })),
        )
      : h("p", null, t("judged.undecided")),
    h("ul", { class: "small" }, items, kept),
  );
}

/** @param {number} ply @param {(ply: number) => void} go */
const look = (ply, go) => h("button", { type: "button", onClick: () => go(ply) }, t("turned.look"));

/** @param {MatchModel} model @param {Analysis} analysis @param {Diagnosis} found */
function diagnosis(model, analysis, { code, seat, ply, values }) {
  const move = analysis.moves.find((each) => each.ply === ply);
  const said = {
    ...values,
    name: model.players[seat],
    n: ply,
    action: move ? model.nameOf(move.action) : "",
    better: move ? model.nameOf(move.best) : "",
    took: seconds(values.took_ms ?? 0),
    had: seconds(values.move_ms ?? 0),
    told: signed(values.told ?? 0),
    sound: signed(values.sound ?? 0),
    worth: t(`worth.${Math.sign(values.worth ?? 0)}`),
  };
  const flaw = FLAWS.includes(code) ? t(values.of === undefined ? "diagnosis.there" : "diagnosis.fits", said) : "";
  return t(`diagnosis.${code}`, said) + flaw;
}

const FLAWS = ["depth", "sign", "view", "last_move", "extra_turn", "capture", "bomb"];
