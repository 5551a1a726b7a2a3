// @ts-check
// How far a tournament is, as a bar and in words.
import { h } from "../dom.js";
import { clockTime } from "../format.js";
import { remark, t } from "../i18n.js";

const ORDER = ["running", "paused", "waiting", "draft", "completed"];

/** For sorting tournaments: what is on, what comes, what was. @param {{state: string}} a @param {{state: string}} b */
export const byState = (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state);

/** What keeps a tournament from its end, and what to do. @param {any} tournament */
export function trouble({ troubles }) {
  return troubles.length === 0 ? null : h("div", { class: "say bad" }, troubles.map((/** @type {any} */ one) => h("p", null, remark(one))));
}

/** @param {{played: number, total: number | null, predicted_end?: any, state: string, round?: number | null, rounds?: number | null}} tournament */
export function progressBar({ played, total, predicted_end, state, round, rounds }) {
  const share = total ? Math.min(1, played / total) : 0;
  const bar = h("i");
  bar.style.width = `${Math.round(100 * share)}%`;
  if (state === "draft" || state === "waiting") return null;
  const words = [
    round && state !== "completed" ? (rounds ? t("round.of", { n: round, all: rounds }) : t("round.n", { n: round })) : null,
    total ? t("matches.of", { n: played, all: total }) : t("matches.n", { n: played }),
    predicted_end && state === "running" ? t("ends.about", { time: clockTime(predicted_end) }) : null,
  ];
  return h(
    "div",
    { class: "progress" },
    total && state !== "completed" ? h("div", { class: "track", role: "img", "aria-label": t("done.share", { n: Math.round(100 * share) }) }, bar) : null,
    h("span", { class: "quiet small" }, words.filter(Boolean).join(" · ")),
  );
}
