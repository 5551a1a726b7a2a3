// @ts-check
// The bots' reports over the plies: each one's value as a line, the judge's chances as a broken one, times as bars.
import { seconds, sum, worth } from "../format.js";
import { t } from "../i18n.js";
import { squash } from "../turn.js";
import { h } from "../view.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Analysis, Move, Seat } from "../types.js" */

const WIDTH = 330;
const VALUES = 92;
const BARS = 36;
const GAP = 14;
const HEIGHT = VALUES + GAP + BARS;

/**
 * Null where no move of a player was made.
 * @param {MatchModel} model @param {number} at @param {Analysis | null} analysis @param {(ply: number) => void} go called with the plies played at the position that was clicked
 */
export function graph(model, at, analysis, go) {
  if (model.moves.every((move) => move.charged_ms === null)) return null;
  const step = WIDTH / Math.max(12, model.plies);
  const click = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const ply = Math.floor((((event.clientX - box.left) / box.width) * WIDTH) / step) + 1;
    go(Math.max(0, Math.min(model.plies, ply)));
  };
  const x = (/** @type {number} */ ply) => (ply + 0.5) * step;
  const said = model.moves.filter((move) => typeof move.info?.value === "number");
  const last = said.at(-1);
  const paid = sum(model.moves.map((move) => move.charged_ms ?? 0));
  const value = last === undefined ? "" : `${model.players[last.seat]} ${worth(last.info ?? {})}. `;
  const drawing = h(
    "svg",
    { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${t("graph.label")}. ${value}${t("graph.time", { s: seconds(paid, 1) })}`, onClick: click },
    h("line", { class: "axis", x1: 0, x2: WIDTH, y1: VALUES / 2, y2: VALUES / 2 }),
    analysis && truth(analysis, x),
    /** @type {const} */ ([0, 1]).map((seat) => values(said.filter((move) => move.seat === seat), seat, x)),
    h("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
    model.moves.map((move) => cost(move, model.budgets[move.seat], step)),
    at > 0 ? h("line", { class: "cursor", x1: x(at - 1), x2: x(at - 1), y1: 0, y2: HEIGHT }) : null,
  );
  const key = analysis && [" · ", h("span", { class: "truth-key" }, t("judged.truth"))];
  return h("figure", { class: "graph-box" }, h("figcaption", { class: "quiet small" }, t("graph.axis", { name: model.players[0] }), key), drawing);
}

/** What the positions were worth, from seat 0's view. @param {Analysis} analysis @param {(ply: number) => number} x */
function truth({ moves }, x) {
  const spots = moves.map(({ ply, seat, value, estimate }) => {
    const chance = estimate ? 2 * estimate.chance - 1 : Math.sign(value);
    return `${x(ply).toFixed(1)},${(VALUES / 2 - (seat === 0 ? chance : -chance) * (VALUES / 2 - 4)).toFixed(1)}`;
  });
  return h("polyline", { class: "truth", points: spots.join(" ") });
}

/** What one bot said of itself. @param {Move[]} moves @param {Seat} seat @param {(ply: number) => number} x */
function values(moves, seat, x) {
  const most = Math.max(0, ...moves.map((move) => Math.abs(Number(move.info?.value))));
  // Both lines are from seat 0's view, so that two bots that agree draw one line.
  const side = seat === 0 ? 1 : -1;
  const spots = moves.map((move) => [x(move.ply), VALUES / 2 - side * squash(Number(move.info?.value), most) * (VALUES / 2 - 4)]);
  const mark = (/** @type {number[]} */ [cx, cy]) =>
    seat === 0 ? h("circle", { class: "value-mark s0", cx, cy, r: 2.6 }) : h("rect", { class: "value-mark s1", x: cx - 2.4, y: cy - 2.4, width: 4.8, height: 4.8 });
  return [h("polyline", { class: `value s${seat}`, points: spots.map((spot) => spot.map((n) => n.toFixed(1)).join(",")).join(" ") }), spots.length < 40 ? spots.map(mark) : null];
}

/** @param {Move} move @param {number} budget @param {number} step */
function cost({ ply, seat, charged_ms }, budget, step) {
  if (!charged_ms) return null;
  const height = Math.max(1, Math.min(1, charged_ms / budget) * BARS);
  return h("rect", { class: `cost s${seat}`, x: ply * step + step * 0.15, y: HEIGHT - height, width: step * 0.7, height });
}
