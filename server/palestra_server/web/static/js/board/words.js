// @ts-check
// A board in words: what stands where, what a move does. For who cannot see it, and for text to copy.
import { t, tOr } from "../i18n.js";
/** @import { Cell, View } from "../types.js" */

/** The position, column by column from the bottom, or pit by pit. @param {View} view */
export function described(view) {
  return [t("board.label", { rows: view.rows, cols: view.cols }), ...(view.kind === "pits" ? pits(view) : columns(view))].map((part) => `${part}.`).join(" ");
}

/** @param {View} view */
function columns(view) {
  return Array.from({ length: view.cols }, (_, col) => {
    const stack = view.cells.filter((cell, index) => index % view.cols === col && cell.kind !== "empty");
    return t("board.column", { n: col + 1, pieces: stack.length === 0 ? t("board.empty") : stack.map(pieceName).join(", ") });
  });
}

/** @param {Cell} cell */
function pieceName({ kind, seat }) {
  const whose = seat === null ? "" : t(`board.seat.${seat}`);
  return [kind === "piece" ? "" : tOr(`board.kind.${kind}`, kind), whose].filter(Boolean).join(" ");
}

/** @param {View} view */
function pits(view) {
  return /** @type {const} */ ([0, 1]).map((seat) => {
    const own = view.cells.flatMap((cell, index) => (cell.seat === seat ? [{ n: pitNumber(view, index), count: cell.count }] : [])).sort((a, b) => a.n - b.n);
    return t("board.pits", { seat: t(`board.seat.${seat}`), pits: own.map(({ n, count }) => t("board.pit", { n, count })).join(", "), store: view.stores?.[seat] ?? 0 });
  });
}

/** The number by which a pit is called: 1 is the nearest to its owner's store. @param {View} view @param {number} index */
export const pitNumber = (view, index) => (index < view.cols ? view.cols - index : index - view.cols + 1);

/** What a move does: "Drop a piece in column 4". @param {string} name as the game calls it, such as "PUT 4" */
export function moveWords(name) {
  const [verb, n = ""] = name.split(" ");
  return tOr(`act.${verb}`, "") === "" ? name : t(`act.${verb}`, { n });
}
