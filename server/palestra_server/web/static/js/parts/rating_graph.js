// @ts-check
// Ratings over time with their intervals, a line for each game.
import { h, svg } from "../dom.js";
import { clockTime, gameName, number, signed } from "../format.js";
import { t } from "../i18n.js";

const WIDTH = 640;
const HEIGHT = 180;
const LEFT = 68;

/** A round step that divides `span` into at most four. @param {number} span */
function tick(span) {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, span) / 4));
  return power * ([1, 2, 5, 10].find((each) => (each * power) * 4 >= span) ?? 10);
}

/** @param {{when: any, game: string, rating: number, low: number, high: number}[]} points */
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
  const drawing = svg("svg", { class: "ratings", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("rating.over.time") });
  // In Spanish a compact number is "2 mil", which has no room here.
  for (let mark = low; mark <= low + span; mark += step) {
    drawing.append(svg("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: y(mark), y2: y(mark) }), svg("text", { class: "scale", x: LEFT - 6, y: y(mark) + 5 }, Math.abs(mark) < 1000 ? signed(mark) : `${signed(mark / 1000)}k`));
  }
  games.forEach((game, at) => {
    const own = points.filter((point) => point.game === game);
    const x = (/** @type {number} */ place) => LEFT + 10 + (own.length === 1 ? (WIDTH - LEFT) / 2 : (place / (own.length - 1)) * (WIDTH - LEFT - 20));
    const edge = [...own.map((point, place) => [x(place), y(point.high ?? point.rating)]), ...own.map((point, place) => [x(place), y(point.low ?? point.rating)]).reverse()];
    drawing.append(svg("polygon", { class: `band g${at % 5}`, points: edge.map((spot) => spot.join(",")).join(" ") }));
    drawing.append(svg("polyline", { class: `trace g${at % 5}`, points: own.map((point, place) => `${x(place)},${y(point.rating)}`).join(" ") }));
    own.forEach((point, place) => {
      const words = `${gameName(game)}: ${t("rating.interval", { rating: number(point.rating), low: number(point.low ?? point.rating), high: number(point.high ?? point.rating) })}, ${clockTime(point.when)}`;
      drawing.append(svg("circle", { class: `spot g${at % 5}`, cx: x(place), cy: y(point.rating), r: 3.5 }, svg("title", null, words)));
    });
  });
  const legend = games.map((game, at) => h("li", null, h("span", { class: `key g${at % 5}` }), gameName(game)));
  return h("div", null, drawing, h("ul", { class: "facts legend" }, legend));
}
