// @ts-check
// The standings: points and what breaks ties, and how sure the order is, every interval on one common scale.
import { to } from "../addresses.js";
import { dotted, number, points, rankRange } from "../format.js";
import { t, tOr } from "../i18n.js";
import { h, table } from "../view.js";
import { wdl, wdlHead } from "./wdl.js";
/** @import { Row } from "../types.js" */

/** @param {Row[]} rows @param {string} tournament its name @param {string | null} mine the player to point out */
export function standingsTable(rows, tournament, mine = null) {
  const scale = scaleOf(rows);
  const breaks = Object.keys(rows[0]?.tiebreaks ?? {});
  const head = [
    ...ranked(scale !== null, t("points")),
    scale ? h("th", { class: "strength", scope: "col" }, t("strength")) : null,
    h("th", { class: "num wide-only", scope: "col" }, wdlHead()),
    breaks.map((name) => h("th", { class: "num wide-only", scope: "col" }, tOr(`tiebreak.${name}`, name))),
  ];
  const body = rows.map((row) => {
    const name = h("a", { href: to.player(row.player), title: row.player }, row.player);
    const about = dotted([row.group, row.reference ? t("reference") : "", row.withdrawn ? t("withdrawn") : ""]);
    return h(
      "tr",
      { key: row.player, class: row.player === mine ? "mine" : null },
      h("td", { class: "num place-number" }, row.rank ?? "–"),
      scale ? h("td", { class: "ranks" }, row.reference ? "–" : rankRange(row.rank_low, row.rank_high)) : null,
      h("td", { class: "player-cell" }, name, about ? h("span", { class: "quiet small" }, ` ${about}`) : null),
      h("td", { class: "num" }, h("a", { class: "number", href: to.matchesOf(tournament, row.player), title: byes(row) > 0 ? t("standings.bye", { points: points(row.points - byes(row)), n: row.played, byes: points(byes(row)) }) : t("matches") }, h("b", null, points(row.points)), h("span", { class: "quiet small" }, ` / ${row.played}`))),
      scale ? h("td", null, interval(row, scale)) : null,
      h("td", { class: "num wide-only" }, wdl([row.wins, row.draws, row.losses])),
      Object.values(row.tiebreaks).map((value) => h("td", { class: "num wide-only" }, points(value))),
    );
  });
  return table({ class: "standings" }, head, body);
}

/** The first heads of a table of ranks. @param {boolean} sure whether it says how sure they are @param {string} points */
export function ranked(sure, points) {
  return [
    h("th", { class: "num place-number", scope: "col" }, "#"),
    sure ? h("th", { class: "ranks", scope: "col", title: t("rank.what") }, t("rank.range")) : null,
    h("th", { scope: "col" }, t("player")),
    h("th", { class: "num", scope: "col" }, points),
  ];
}

/** Where a rating stands between the lowest and the highest of all, in percent; null if nobody has one. @param {Row[]} rows */
export function scaleOf(rows) {
  const lows = rows.flatMap((row) => row.rating_low ?? []);
  const low = Math.min(...lows);
  const high = Math.max(...rows.flatMap((row) => row.rating_high ?? []));
  return lows.length === 0 ? null : (/** @type {number} */ rating) => (high === low ? 50 : 4 + ((rating - low) / (high - low)) * 92);
}

/** Points for which nothing was played. @param {Row} row */
export const byes = ({ points: all, wins, draws }) => Math.max(0, all - wins - draws / 2);

/** Drawn in parts of the width, so that a wide page shows more and the signs keep their size. @param {Row} row @param {(rating: number) => number} scale in percent */
export function interval(row, scale) {
  if (row.rating === null || row.rating_low === null || row.rating_high === null) return h("span", { class: "quiet" }, "–");
  const words = t("rating.interval", { rating: number(row.rating), low: number(row.rating_low), high: number(row.rating_high) });
  const [x1, x2, cx] = [row.rating_low, row.rating_high, row.rating].map((rating) => `${scale(rating).toFixed(2)}%`);
  return h(
    "svg",
    { class: "interval", role: "img", "aria-label": words },
    h("title", null, words),
    h("line", { x1, x2, y1: 9, y2: 9 }),
    h("line", { x1, x2: x1, y1: 5, y2: 13 }),
    h("line", { x1: x2, x2, y1: 5, y2: 13 }),
    row.reference ? h("rect", { x: cx, y: 5, width: 8, height: 8 }) : h("circle", { cx, cy: 9, r: 5 }),
  );
}

// With more players, those whom each met: of 300 in a Swiss system, whoever looks would see 90,000 cells, most of them empty.
const SQUARE = 60;
// From so many on, narrower columns show more of them at once.
const MANY = 16;

/** @param {{players: string[], cells: ([number, number] | null)[][]}} met @param {string} tournament its name */
export function crossTable({ players, cells }, tournament) {
  const square = players.length <= SQUARE;
  const head = [h("th", { scope: "col" }, ""), square ? players.map((name, at) => h("th", { class: "num", scope: "col", title: name }, at + 1)) : h("th", { scope: "col", colspan: Math.max(...cells.map((row) => row.filter((cell) => cell?.[1]).length)) }, t("crosstable.met"))];
  const rows = players.map((name, at) => {
    const row = cells[at].map((cell, other) => {
      if (cell === null || cell[1] === 0) return square ? h("td", { class: cell === null ? "self" : "" }, cell && "·") : null;
      const [scored, matches] = cell;
      const tone = scored * 2 > matches ? "better" : scored * 2 < matches ? "worse" : "even";
      return h("td", { class: `num ${tone}` }, h("a", { class: "number", href: to.matchesOf(tournament, name, players[other]), title: players[other], "data-place": square ? null : other + 1 }, `${points(scored)}/${matches}`));
    });
    return h("tr", { key: name }, h("th", { scope: "row" }, h("span", { class: "quiet place" }, at + 1), h("a", { href: to.player(name), title: name }, name)), row);
  });
  return table({ class: !square ? "cross met" : players.length > MANY ? "cross many" : "cross" }, head, rows);
}
