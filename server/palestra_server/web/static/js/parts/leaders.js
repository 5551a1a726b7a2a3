// @ts-check
// Who leads: the first of the tournament that is on beside the live matches, and the podium of one that is over.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { day, points, rankRange } from "../format.js";
import { t } from "../i18n.js";
import { h, View } from "../view.js";
import { byState, progressBar, stateMark } from "./progress.js";
import { interval, scaleOf } from "./standings.js";
/** @import { Row, Tournament } from "../types.js" */

const FIRST = 5;
const STEPS = 3;
/** A list names the winners of so many tournaments: each costs the server a table. */
export const NAMED = 6;

/** The tournament that is on, or was the last one, with its first five; null if there is none. */
export async function loadLeaders() {
  /** @type {{tournaments: Tournament[]}} */
  const { tournaments } = await get("/tournaments");
  const begun = tournaments.filter(({ state }) => ["running", "paused", "completed"].includes(state));
  // The newest of those that are as far.
  const tournament = begun.reverse().sort(byState)[0];
  if (tournament === undefined) return null;
  // Not what the teacher alone may see, whose first page may be on a wall.
  /** @type {{rows: Row[]}} */
  const { rows } = await get(`/tournaments/${encodeURIComponent(tournament.name)}/standings?as=visitor`);
  return { tournament, rows: rows.filter(({ reference }) => !reference).slice(0, FIRST) };
}

/** @param {{tournament: Tournament, rows: Row[]} | null} leaders */
export function leaderTable(leaders) {
  if (leaders === null || leaders.rows.length === 0) return null;
  const { tournament, rows } = leaders;
  const scale = scaleOf(rows);
  const lines = rows.map((row) =>
    h(
      "tr",
      { key: row.player },
      h("td", { class: "ranks" }, rankRange(row.rank_low ?? row.rank, row.rank_high ?? row.rank)),
      h("td", { class: "player-cell" }, h("a", { href: to.player(row.player), title: row.player }, row.player)),
      h("td", { class: "num" }, h("b", null, points(row.points)), h("span", { class: "quiet small" }, ` / ${row.played}`)),
      scale === null ? null : h("td", { class: "strength" }, interval(row, scale)),
    ),
  );
  return h(
    "section",
    { class: "leaders" },
    h("div", { class: "row apart" }, h("h2", null, h("a", { href: to.tournament(tournament.name) }, tournament.title)), stateMark(tournament)),
    h("div", { class: "card" }, progressBar(tournament), tournament.state === "completed" && !tournament.revealed ? h("span", { class: "quiet small" }, t("embargo")) : null, h("table", null, h("tbody", null, lines))),
  );
}

/** The winner of a tournament that is over, once known, or nobody if the win is shared; and when its last match ended. @extends {View<{tournament: Tournament}, {winner: Row | null, ended: string}>} */
export class Champion extends View {
  /** @type {{winner: Row | null, ended: string}} */
  state = { winner: null, ended: "" };

  async componentDidMount() {
    const { name, revealed } = this.props.tournament;
    get(`/matches?tournament=${encodeURIComponent(name)}&limit=1`).then(({ matches: [last] }) => this.setState({ ended: day(last?.ended) }), () => {});
    if (revealed === false) return;
    /** @type {{rows: Row[]}} */
    const { rows } = await get(`/tournaments/${encodeURIComponent(name)}/standings`).catch(() => ({ rows: [] }));
    const [first, second] = rows.filter(({ reference, played }) => !reference && played > 0);
    if (first !== undefined && first.rank !== second?.rank) this.setState({ winner: first });
  }

  render() {
    const { winner, ended } = this.state;
    if (this.props.tournament.revealed === false) return h("span", { class: "quiet small" }, t("embargo"));
    return h("span", { class: "champion" }, winner && h("b", null, h("span", { class: "place" }, winner.rank), winner.player), ended && h("time", { class: "quiet small" }, ended));
  }
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
