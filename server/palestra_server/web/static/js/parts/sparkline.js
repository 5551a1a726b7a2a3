// @ts-check
// A course in the space of a word: a dot for each value between 0 and 1, joined where none is missing in between.
import { h } from "../view.js";

const WIDTH = 14;
const HEIGHT = 20;

/** @param {(number | null)[]} values @param {string} words the same, to be read aloud */
export function sparkline(values, words) {
  const dots = values.flatMap((value, at) => (value === null ? [] : [{ x: WIDTH * (at + 0.5), y: 3 + (1 - value) * (HEIGHT - 6) }]));
  return h(
    "svg",
    { class: "sparkline", width: WIDTH * values.length, height: HEIGHT, role: "img", "aria-label": words },
    h("title", null, words),
    dots.length > 1 ? h("polyline", { points: dots.map(({ x, y }) => `${x},${y.toFixed(1)}`).join(" ") }) : null,
    dots.map(({ x, y }, at) => h("circle", { cx: x, cy: y, r: at === dots.length - 1 ? 2.6 : 1.8 })),
  );
}
