// @ts-check
// Who leads: the first of the tournament that is on beside the live matches, and the podium of one that is over.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { points, rankRange } from "../format.js";
import { t, tOr } from "../i18n.js";
import { Throttle } from "../throttle.js";
import { byState, progressBar } from "./progress.js";
import { interval, scaleOf } from "./standings.js";

/** @typedef {import("./standings.js").Row} Row */

const FIRST = 5;
const AGAIN_MS = { soon_ms: 2000, apart_ms: 15_000 };
/** Of so many tournaments that are over the winner is named in a list: each has a table of its own to be made. */
export const NAMED = 6;
const STEPS = 3;

/** The tournament that is on, or was last, with its first five. */
export class Leaders {
  constructor() {
    this.element = h("section", { class: "leaders", hidden: true });
    this.again = new Throttle(() => this.load(), AGAIN_MS);
  }

  async load() {
    try {
      const { tournaments } = await get("/tournaments");
      const begun = tournaments.filter((/** @type {any} */ { state }) => ["running", "paused", "completed"].includes(state));
      // The newest of those that are as far.
      const tournament = begun.reverse().sort(byState)[0];
      this.element.hidden = tournament === undefined;
      if (tournament === undefined) return;
      // Not what the teacher alone may see, whose first page may be on a wall.
      const { rows } = await get(`/tournaments/${encodeURIComponent(tournament.name)}/standings?as=visitor`);
      this.#show(tournament, rows.filter((/** @type {Row} */ { reference }) => !reference));
    } catch {
      // What was shown stays; without it the page is whole.
    }
  }

  /** @param {any} tournament @param {Row[]} rows */
  #show(tournament, rows) {
    const first = rows.slice(0, FIRST);
    this.element.hidden = first.length === 0;
    const scale = scaleOf(first);
    const lines = first.map((row) =>
      h(
        "tr",
        null,
        h("td", { class: "ranks" }, rankRange(row.rank_low ?? row.rank, row.rank_high ?? row.rank)),
        h("td", { class: "player-cell" }, h("a", { href: to.player(row.player) }, row.player)),
        h("td", { class: "num" }, h("b", null, points(row.points)), h("span", { class: "quiet small" }, ` / ${row.played}`)),
        scale === null ? null : h("td", { class: "strength" }, interval(row, scale)),
      ),
    );
    fill(
      this.element,
      h("div", { class: "row apart" }, h("h2", null, h("a", { href: to.tournament(tournament.name) }, tournament.title || tournament.name)), h("span", { class: `state ${tournament.state}` }, tOr(`state.${tournament.state}`, tournament.state))),
      h("div", { class: "card" }, progressBar(tournament), tournament.state === "completed" && !tournament.revealed ? h("span", { class: "quiet small" }, t("embargo")) : null, h("table", null, h("tbody", null, lines))),
    );
  }
}

/** The winner of a tournament that is over, once known; empty if the win is shared. @param {any} tournament */
export function champion({ name, revealed }) {
  if (revealed === false) return h("span", { class: "quiet small" }, t("embargo"));
  const line = h("span", { class: "champion" });
  get(`/tournaments/${encodeURIComponent(name)}/standings`).then(
    ({ rows }) => {
      const [first, second] = rows.filter((/** @type {Row} */ { reference, played }) => !reference && played > 0);
      if (first !== undefined && first.rank !== second?.rank) fill(line, h("span", { class: "place" }, first.rank), first.player);
    },
    () => {},
  );
  return line;
}

/** The first three of a tournament that is over, without who shares a place with the fourth; null if that leaves nobody. @param {Row[]} rows */
export function podium(rows) {
  const ranked = rows.filter(({ reference, played }) => !reference && played > 0);
  const steps = ranked.slice(0, STEPS).filter(({ rank }) => rank !== ranked[STEPS]?.rank);
  if (steps.length === 0) return null;
  const first = steps[0].rank;
  return h(
    "ol",
    { class: "podium", "aria-label": t("podium") },
    steps.map((row) =>
      h(
        "li",
        { class: row.rank === first ? "first" : null },
        h("span", { class: "place" }, row.rank),
        h("a", { href: to.player(row.player) }, h("b", null, row.player)),
        h("span", { class: "quiet small" }, `${points(row.points)} / ${row.played}`),
      ),
    ),
  );
}
