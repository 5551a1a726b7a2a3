// @ts-check
// What the teacher ruled on matches, and how to rule on one.
import { to } from "../addresses.js";
import { post } from "../api.js";
import { decided } from "../dialogs.js";
import { t } from "../i18n.js";
import { verdictOf, versus } from "../format.js";
import { h, section } from "../view.js";
/** @import { Ruling } from "../types.js" */

/** The rulings on one match: the last one counts. @param {Ruling[]} rulings */
export function rulingsOn(rulings) {
  return rulings.map((one, at) => h("p", { class: at === rulings.length - 1 ? "ruling" : "ruling quiet small" }, t(at === rulings.length - 1 ? "ruling.by" : "ruling.superseded", { verdict: verdictOf(one), why: one.why })));
}

/** All rulings of a tournament, null if there is none; `struck` matches followed from them. @param {Ruling[]} rulings @param {number} struck */
export function rulingList(rulings, struck) {
  if (rulings.length === 0) return null;
  const lines = rulings.map((one) => h("li", null, h("a", { href: to.match(one.match) }, versus(one.players, "–")), ` ${verdictOf(one)}: `, h("span", { class: "quiet" }, one.why)));
  return section(t("rulings"), [h("ul", { class: "plainlist tight" }, lines), struck > 0 ? h("p", { class: "quiet small" }, t("rulings.struck", { n: struck })) : null], "rulings");
}

/**
 * The button with which the teacher rules on a match that is over.
 * @param {{match: string, players: string[], tournament: string}} match @param {(fault: Error | null) => void} done with null, or what went wrong
 */
export function ruleButton({ match, players, tournament }, done) {
  const options = /** @type {[string, string][]} */ ([
    ...players.map((name) => [`win:${name}`, t("ruling.win.of", { winner: name })]),
    ...["draw", "void", "replay", "stands"].map((verdict) => [verdict, t(`ruling.as.${verdict}`)]),
  ]);
  const ask = async () => {
    const said = await decided(t("ruling.ask"), t("ruling.why"), t("ruling.make"), options);
    if (said === null) return;
    const win = said.choice.startsWith("win:");
    const ruling = { match, verdict: win ? "win" : said.choice, winner: win ? said.choice.slice(4) : "", why: said.why };
    await post(`/tournaments/${encodeURIComponent(tournament)}/rule`, ruling).then(() => done(null)).catch(done);
  };
  return h("button", { type: "button", class: "rule", onClick: ask }, t("ruling.make"));
}
