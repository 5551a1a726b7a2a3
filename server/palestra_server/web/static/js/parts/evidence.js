// @ts-check
// The evidence of a match: for each answer when it was asked for, when its bytes came, and what it was charged.
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../i18n.js";

/** Milliseconds as seconds with all that was measured. @param {number | null} ms */
const exactly = (ms) => (ms === null ? "–" : `${(ms / 1000).toFixed(3)} s`);

/** A part that asks for it once it is opened. @param {string} match @param {string[]} players */
export function evidence(match, players) {
  const body = h("div", { class: "scroll" });
  const details = h("details", { class: "evidence small" }, h("summary", { class: "quiet" }, t("evidence")), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childElementCount > 0) return;
    try {
      const { answers } = await get(`/matches/${encodeURIComponent(match)}/evidence`);
      fill(body, ...table(answers, players));
    } catch (error) {
      fill(body, h("p", { class: "say bad" }, /** @type {Error} */ (error).message || t("fault.unreachable")));
    }
  });
  return details;
}

/** @param {any[]} answers @param {string[]} players */
function table(answers, players) {
  const heads = ["move", "player", "asked", "arrived", "stamp", "charged", "away", "unaccounted"];
  const rows = answers.map((one) =>
    h(
      "tr",
      { class: one.played ? "" : "bad" },
      [one.move, players[one.seat], exactly(one.asked_ms), one.action === null ? t("evidence.never") : exactly(one.arrived_ms), one.stamp ? t(`evidence.stamp.${one.stamp}`) : "–", exactly(one.charged_ms), exactly(one.away_ms), exactly(one.unaccounted_ms)].map((cell) => h("td", null, cell)),
    ),
  );
  const sum = answers.reduce((all, one) => all + one.unaccounted_ms, 0);
  return [
    h("p", { class: "quiet" }, t("evidence.what"), " ", t("evidence.sum", { s: exactly(sum) })),
    h("table", null, h("thead", null, h("tr", null, heads.map((head) => h("th", null, t(`evidence.${head}`))))), h("tbody", null, rows)),
  ];
}
