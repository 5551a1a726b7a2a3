// @ts-check
// Strength over time with its interval: a small drawing for each game, all to the same scale, with the rank and the best win.
import { to } from "../addresses.js";
import { clockTime, gameName, number, rankRange, signed } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";

const WIDTH = 300;
const HEIGHT = 110;
const LEFT = 46;

/** A round step that divides `span` into at most four. @param {number} span */
function tick(span) {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, span) / 4));
  return power * ([1, 2, 5, 10].find((each) => (each * power) * 4 >= span) ?? 10);
}

/**
 * @typedef {{when: number, rating: number, low: number, high: number}} Point
 * @typedef {{game: string, moments: Point[], rank_low: number | null, rank_high: number | null, ranked: number,
 *   best: {match: string, opponent: string, rating: number} | null}} Strength
 */

/** @param {Strength[]} strengths */
export function strengthsOf(strengths) {
  const points = strengths.flatMap(({ moments }) => moments);
  // The first intervals are so wide that nothing else would be seen: where they leave the drawing they are cut off.
  const last = strengths.map(({ moments }) => moments[moments.length - 1]);
  const lows = [...points.map(({ rating }) => rating), ...last.map(({ low }) => low)];
  const highs = [...points.map(({ rating }) => rating), ...last.map(({ high }) => high)];
  const step = tick(Math.max(...highs) - Math.min(...lows));
  const low = Math.floor(Math.min(...lows) / step) * step;
  const span = Math.ceil((Math.max(...highs) - low) / step) * step || step;
  const y = (/** @type {number} */ rating) => HEIGHT - 10 - ((rating - low) / span) * (HEIGHT - 20);
  const marks = Array.from({ length: span / step + 1 }, (_, at) => low + at * step);
  // In Spanish a compact number is "2 mil", which has no room here.
  const scale = marks.map((mark) => [h("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: y(mark), y2: y(mark) }), h("text", { class: "scale", x: LEFT - 6, y: y(mark) + 4 }, Math.abs(mark) < 1000 ? signed(mark) : `${signed(mark / 1000)}k`)]);
  return h("div", { class: "multiples" }, strengths.map((each) => one(each, scale, y)));
}

/** @param {Strength} strength @param {import("../view.js").Children} scale @param {(rating: number) => number} y */
function one({ game, moments, rank_low, rank_high, ranked, best }, scale, y) {
  const now = moments[moments.length - 1];
  const x = (/** @type {number} */ place) => LEFT + 8 + (moments.length === 1 ? (WIDTH - LEFT - 16) / 2 : (place / (moments.length - 1)) * (WIDTH - LEFT - 16));
  const interval = (/** @type {Point} */ { rating, low, high }) => t("rating.interval", { rating: number(rating), low: number(low), high: number(high) });
  const edge = [...moments.map(({ high }, place) => [x(place), y(high)]), ...moments.map(({ low }, place) => [x(place), y(low)]).reverse()];
  const spot = (/** @type {Point} */ point, /** @type {number} */ place) => h("circle", { class: "spot", cx: x(place), cy: y(point.rating), r: 3.5 }, h("title", null, `${interval(point)}, ${clockTime(point.when)}`));
  return h(
    "figure",
    { key: game },
    h("figcaption", null, gameName(game)),
    h(
      "svg",
      { class: "ratings", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${gameName(game)}: ${interval(now)}` },
      scale,
      moments.length === 1 ? h("line", { class: "trace", x1: x(0), x2: x(0), y1: y(now.low), y2: y(now.high) }) : h("polygon", { class: "band", points: edge.map((corner) => corner.join(",")).join(" ") }),
      h("polyline", { class: "trace", points: moments.map(({ rating }, place) => `${x(place)},${y(rating)}`).join(" ") }),
      moments.map(spot),
    ),
    h("p", { class: "small", title: rank_low === null ? null : t("rank.what") }, `${signed(Math.round(now.rating))} Elo`, rank_low === null ? "" : ` · ${t("rank.of", { rank: rankRange(rank_low, rank_high), n: ranked })}`),
    best === null ? null : h("p", { class: "small" }, t("best.win"), " ", h("a", { href: to.match(best.match) }, best.opponent), ` (${signed(Math.round(best.rating))})`),
  );
}
