// @ts-check
// Ratings over time with their intervals, a line for each game.
import { clockTime, gameName, number, signed } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";

const WIDTH = 640;
const HEIGHT = 180;
const LEFT = 68;

/** A round step that divides `span` into at most four. @param {number} span */
function tick(span) {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, span) / 4));
  return power * ([1, 2, 5, 10].find((each) => (each * power) * 4 >= span) ?? 10);
}

/** @typedef {{when: string | number, game: string, rating: number, low?: number, high?: number}} Point */

/** @param {Point[]} points */
export function ratingGraph(points) {
  const games = [...new Set(points.map(({ game }) => game))];
  // The first intervals are so wide that nothing else would be seen: where they leave the drawing they are cut off.
  const last = games.map((game) => points.filter((point) => point.game === game).at(-1));
  const seen = points.map(({ rating }) => rating);
  const lows = [...seen, ...last.map((point) => point?.low ?? seen[0])];
  const highs = [...seen, ...last.map((point) => point?.high ?? seen[0])];
  const step = tick(Math.max(...highs) - Math.min(...lows));
  const low = Math.floor(Math.min(...lows) / step) * step;
  const span = Math.ceil((Math.max(...highs) - low) / step) * step || step;
  const y = (/** @type {number} */ rating) => HEIGHT - 12 - ((rating - low) / span) * (HEIGHT - 24);
  const marks = Array.from({ length: span / step + 1 }, (_, at) => low + at * step);
  // In Spanish a compact number is "2 mil", which has no room here.
  const scale = marks.map((mark) => [h("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: y(mark), y2: y(mark) }), h("text", { class: "scale", x: LEFT - 6, y: y(mark) + 5 }, Math.abs(mark) < 1000 ? signed(mark) : `${signed(mark / 1000)}k`)]);
  const traces = games.map((game, at) => {
    const own = points.filter((point) => point.game === game);
    const x = (/** @type {number} */ place) => LEFT + 10 + (own.length === 1 ? (WIDTH - LEFT) / 2 : (place / (own.length - 1)) * (WIDTH - LEFT - 20));
    const edge = [...own.map((point, place) => [x(place), y(point.high ?? point.rating)]), ...own.map((point, place) => [x(place), y(point.low ?? point.rating)]).reverse()];
    const spot = (/** @type {Point} */ { rating, low: least = rating, high: most = rating, when }, /** @type {number} */ place) =>
      h("circle", { class: `spot g${at % 5}`, cx: x(place), cy: y(rating), r: 3.5 }, h("title", null, `${gameName(game)}: ${t("rating.interval", { rating: number(rating), low: number(least), high: number(most) })}, ${clockTime(when)}`));
    return [
      h("polygon", { class: `band g${at % 5}`, points: edge.map((corner) => corner.join(",")).join(" ") }),
      h("polyline", { class: `trace g${at % 5}`, points: own.map((point, place) => `${x(place)},${y(point.rating)}`).join(" ") }),
      own.map(spot),
    ];
  });
  const legend = games.map((game, at) => h("li", null, h("span", { class: `key g${at % 5}` }), gameName(game)));
  const drawing = h("svg", { class: "ratings", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("rating.over.time") }, scale, traces);
  return h("div", null, drawing, h("ul", { class: "facts legend" }, legend));
}
