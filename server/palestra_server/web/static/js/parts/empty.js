// @ts-check
// Shown where there is nothing yet: a waiting board, why, and where to begin.
import { h } from "../view.js";

/** A board with a first disc of each seat. */
export function yard() {
  const hole = (/** @type {number} */ at) => h("circle", { class: "hole", cx: 40 + 80 * (at % 5), cy: 40 + 80 * Math.floor(at / 5), r: 32 });
  const piece = (/** @type {number} */ seat, /** @type {number} */ cx) =>
    h("g", { class: `piece s${seat}` }, h("circle", { class: "body", cx, cy: 200, r: 32 }), h("circle", { class: "sign", cx, cy: 200, r: seat === 0 ? 21 : 8 }));
  return h(
    "svg",
    { class: "yard", viewBox: "0 0 400 240", "aria-hidden": "true" },
    h("rect", { class: "ground", width: 400, height: 240, rx: 24 }),
    Array.from({ length: 15 }, (_, at) => hole(at)),
    piece(0, 120),
    piece(1, 200),
  );
}

/**
 * @param {string | import("../view.js").VNode} title a line, or an element that says it
 * @param {string} text
 * @param {[string, string][]} places address and name of each
 */
export function emptyCard(title, text, ...places) {
  return h(
    "div",
    { class: "empty" },
    yard(),
    typeof title === "string" ? h("h2", null, title) : title,
    text === "" ? null : h("p", { class: "quiet" }, text),
    places.length === 0 ? null : h("div", { class: "row" }, places.map(([address, place]) => h("a", { class: "button", href: address }, place))),
  );
}
