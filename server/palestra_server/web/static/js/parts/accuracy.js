// @ts-check
// What the judge says of all of a player's matches: how much of the value was kept when, and what was wrong most often.
import { gameName, number, sum } from "../format.js";
import { t } from "../i18n.js";
import { h, table } from "../view.js";

/** @typedef {{kept: number[], choices: number[]}} Accuracy by thirds of the matches */
/** @typedef {{games: Record<string, Accuracy>, losses: number, causes: Record<string, number>}} Judged */

/** @param {Judged} judged */
export function accuracy({ games, losses, causes }) {
  const [worst, ...others] = Object.entries(causes);
  const rows = Object.entries(games).map(([game, { kept, choices }]) =>
    h("tr", { key: game }, h("td", null, gameName(game)), [...kept.map((n, third) => share(n, choices[third])), share(sum(kept), sum(choices))]),
  );
  const heads = ["beginning", "middle", "end", "all"].map((phase) => h("th", { class: "num" }, t(`phase.${phase}`)));
  return h(
    "div",
    { class: "accuracy" },
    worst === undefined ? null : h("p", null, t("causes.most", { n: worst[1], all: losses, cause: t(`cause.${worst[0]}`) }), others.length === 0 ? null : h("span", { class: "quiet small line" }, others.map(([code, n]) => t("causes.times", { n, cause: t(`cause.${code}`) })).join(" · "))),
    table({ class: "record" }, [h("th", null, t("game")), heads], rows, t("accuracy.what")),
  );
}

/** @param {number} kept @param {number} choices */
function share(kept, choices) {
  if (choices === 0) return h("td", { class: "num quiet" }, "–");
  const percent = (100 * kept) / choices;
  return h("td", { class: "num share", title: t("accuracy.of", { kept, choices }), style: { "--share": `${percent}%` } }, `${number(percent)} %`);
}
