// @ts-check
// The ceremony: third, second, first, as they are uncovered; the podium stays.
import { t } from "../i18n.js";
import { h } from "../view.js";
import { Frame } from "./frame.js";
import { pointsOf } from "./tables.js";
/** @import { News, Place } from "./news.js" */

/** @param {{news: News}} props */
export function Ceremony({ news }) {
  const { order, cup } = news;
  const uncovered = new Map(order.podium.map((step) => [step[0].rank, step]));
  const whole = order.is_whole;
  // Second, first, third, as on a podium; a place that nobody has is left out once all is known.
  const steps = [2, 1, 3].filter((rank) => !whole || uncovered.has(rank));
  const known = cup !== null && cup.name === order.ceremony ? t("screen.sums", { matches: cup.played, players: cup.players }) : "";
  const next = [3, 2, 1].find((rank) => !uncovered.has(rank));
  return h(
    Frame,
    { scene: "ceremony", title: order.title, aside: known },
    whole ? null : h("p", { class: "announced" }, t(order.podium.length === 0 ? "screen.ceremony" : next === 1 ? "screen.ceremony.first" : "screen.ceremony.next")),
    h(
      "ol",
      { class: `podium-steps of-${steps.length}`, "aria-label": t("podium") },
      steps.map((rank) => h(Step, { key: rank, rank, places: uncovered.get(rank) ?? [] })),
    ),
  );
}

/** @param {{rank: number, places: Place[]}} props */
function Step({ rank, places }) {
  const seen = places.length > 0;
  const longest = Math.max(0, ...places.map(({ player }) => player.length));
  return h(
    "li",
    { class: `step rank-${rank} ${seen ? "seen" : "unseen"}`, style: { "--chars": String(longest) } },
    h(
      "div",
      { class: "who", "aria-live": "polite" },
      rank === 1 && seen ? h("p", { class: "label" }, t(places.length > 1 ? "screen.champions" : "screen.champion")) : null,
      places.map((place) => h("div", { key: place.player }, h("p", { class: "name" }, place.player), h("p", { class: "quiet" }, rank === 1 ? how(place) : pointsOf(place.points)))),
    ),
    h("div", { class: "plinth" }, h("span", null, rank)),
  );
}

/** "28 points · unbeaten". @param {Place} place */
const how = ({ points: got, wins, draws, losses }) => [pointsOf(got), losses === 0 ? t("screen.unbeaten") : t("screen.record", { wins, draws, losses })].join(" · ");
