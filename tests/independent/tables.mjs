// schedule.csv, standings.csv and crosstable.csv (RECORDS.md, "The tables").
import { byCodePoint } from "./draw.mjs";
import { csv, g, safe } from "./numbers.mjs";
import { absentees, worth } from "./score.mjs";
import { repeats, Ratings } from "./ratings.mjs";

const CRITERIA = {
  "round-robin": ["points", "head to head", "Sonneborn-Berger", "wins"],
  gauntlet: ["points", "head to head", "Sonneborn-Berger", "wins"],
  swiss: ["points", "Buchholz", "Sonneborn-Berger", "head to head"],
  ladder: ["points", "Buchholz", "Sonneborn-Berger", "head to head"],
  elimination: ["rounds survived", "points", "wins"],
  groups: ["rounds survived", "place in the group", "points", "Sonneborn-Berger"],
};

/** The order of the standings: [{ name, rank, isReference, group, sum, values }]. */
export function standings(t) {
  const sums = t.tally(), criteria = CRITERIA[t.spec.format];
  const rows = t.entrants.map(({ name, group }) => {
    const sum = sums.get(name), isReference = t.isReference(name);
    const value = (c) => ({
      points: sum.points, "head to head": sum.head, "Sonneborn-Berger": sum.sonneborn, wins: sum.wins, Buchholz: sum.buchholz,
      "rounds survived": t.format.survived?.(name), "place in the group": t.format.placeInGroup?.(name),
    })[c];
    const values = new Map(criteria.map((c) => [c, value(c)]));
    const key = [isReference ? 1 : 0, ...criteria.map((c) => (c === "place in the group" ? 1 : -1) * values.get(c))];
    return { name, group, sum, values, key, isReference };
  });
  const compare = (a, b) => { const i = a.key.findIndex((v, k) => v !== b.key[k]); return i < 0 ? 0 : a.key[i] - b.key[i]; };
  rows.sort((a, b) => compare(a, b) || byCodePoint(a.name, b.name));
  rows.forEach((row, i) => { row.rank = row.isReference ? null : i && !compare(rows[i - 1], row) ? rows[i - 1].rank : i + 1; });
  return rows;
}

export function scheduleTable(t) {
  const absent = absentees(t.results);
  const rows = [["fixture", "round", "table", "game", "first", "second", "opening", "score", "reason", "match"]];
  for (const f of t.fixtures) {
    const r = f.result;
    rows.push([
      f.id, f.round, f.table, f.game, ...f.players.map(safe), f.opening.join(" "),
      r ? worth(r, absent).map(g).join(":") : "", f.struck ? "struck" : r ? r.reason : "", (r ? r.match : f.match) ?? "",
    ]);
  }
  return csv(rows);
}

function standingsTable(t, rows, ratings, again) {
  const criteria = CRITERIA[t.spec.format].filter((c) => c !== "points");
  const table = [[
    "rank", "rank low", "rank high", "player", "group", "points", ...criteria, "rating", "rating low", "rating high",
    "played", "wins", "draws", "losses", "byes", "repeats",
  ]];
  for (const { name, group, rank, sum, values } of rows) {
    const r = ratings.of(name);
    table.push([
      rank, r.rankLow, r.rankHigh, safe(name), safe(group), sum.points, ...criteria.map((c) => values.get(c)), r.rating, r.low, r.high,
      sum.wins + sum.draws + sum.losses, sum.wins, sum.draws, sum.losses, sum.byes, again.get(name) ?? 0,
    ]);
  }
  return csv(table);
}

function crosstable(rows) {
  const table = [["player", ...rows.map((r) => safe(r.name))]];
  for (const { name, sum } of rows)
    table.push([safe(name), ...rows.map((o) => { const a = sum.against.get(o.name); return a ? `${g(a.points)}/${a.matches}` : ""; })]);
  return csv(table);
}

/** All tables but the schedule and the grades, and what the grades need. */
export function makeTables(t) {
  const rows = standings(t), again = repeats(t.results);
  const ratings = new Ratings(t, again.results, rows.filter((r) => !r.isReference).map((r) => r.name));
  return {
    rows, ratings,
    tables: { "standings.csv": standingsTable(t, rows, ratings, again.count), "crosstable.csv": crosstable(rows) },
  };
}
