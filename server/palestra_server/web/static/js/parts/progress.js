// @ts-check
// How far a tournament is, as a bar and in words.
import { asks } from "../api.js";
import { clockTime, dotted } from "../format.js";
import { remark, t, tOr } from "../i18n.js";
import { h } from "../view.js";
/** @import { Remark, Tournament } from "../types.js" */

const ORDER = ["running", "paused", "waiting", "draft", "completed"];

export const WARM_UP = "-warm-up";

/** For sorting tournaments: what is on, what comes, what was. @param {{state: string}} a @param {{state: string}} b */
export const byState = (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state);

/** A warm-up is of interest until what it was for begins. @param {Tournament[]} all */
export function withoutOldWarmUps(all) {
  const awaited = (/** @type {string} */ name) => all.some((other) => name === warmUpOf(other.name) && (other.state === "draft" || other.state === "waiting"));
  return all.filter(({ state, name }) => state !== "completed" || !name.endsWith(WARM_UP) || awaited(name));
}

/** The name of a tournament's warm-up. @param {string} name */
export const warmUpOf = (name) => `${name.slice(0, 32)}${WARM_UP}`;

/** What keeps a tournament from its end, and what to do. @param {{troubles: Remark[]}} tournament */
export const trouble = ({ troubles }) => (troubles.length === 0 ? null : h("div", { class: "say bad" }, troubles.map((one) => h("p", null, remark(one)))));

/** That something is hidden, and for the teacher a way to see it and back. @param {boolean} may @param {() => void} again shows anew what is hidden or not */
export function hiddenNotice(may, again) {
  const turn = () => {
    asks.hidden = !asks.hidden;
    again();
  };
  return h("p", { class: "say row apart" }, h("span", null, t("embargo")), may && h("button", { type: "button", class: "hidden-too", onClick: turn }, t(asks.hidden ? "hidden.hide" : "hidden.show")));
}

/** @param {{state: string}} tournament */
export const stateMark = ({ state }) => h("span", { class: `state ${state}` }, tOr(`state.${state}`, state));

/** @param {{played: number, total: number | null, predicted_end?: string | number | null, state: string, round?: number | null, rounds?: number | null,
 *   closed?: boolean, incomplete?: number | null, counts_all?: boolean}} tournament */
export function progressBar({ played, total, predicted_end, state, round, rounds, closed, incomplete, counts_all }) {
  const share = total ? Math.min(1, played / total) : 0;
  if (state === "draft" || state === "waiting") return null;
  const words = [
    round && state !== "completed" ? (rounds ? t("round.of", { n: round, all: rounds }) : t("round.n", { n: round })) : null,
    total ? t("matches.of", { n: played, all: total }) : t("matches.n", { n: played }),
    closed && !counts_all && incomplete ? t("uncounted", { n: incomplete }) : null,
    predicted_end && state === "running" ? t("ends.about", { time: clockTime(predicted_end) }) : null,
  ];
  return h(
    "div",
    { class: "progress" },
    total && state !== "completed" ? h("div", { class: "track", role: "img", "aria-label": t("done.share", { n: Math.round(100 * share) }) }, h("i", { style: { width: `${Math.round(100 * share)}%` } })) : null,
    h("span", { class: "quiet small" }, dotted(words)),
  );
}
