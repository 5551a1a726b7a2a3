// The tables of seasons (RECORDS.md, "Seasons").
import { byCodePoint } from "./draw.mjs";
import { equal, utf8 } from "./json.mjs";
import { csv, g, round, safe } from "./numbers.mjs";
import { Ratings, repeats } from "./ratings.mjs";
import { absentees, worth } from "./score.mjs";
import { standings } from "./tables.mjs";
import { parseToml } from "./toml.mjs";
import { course } from "./tournaments.mjs";

const DEFAULTS = { scoring: "place", best: 0, ratings: "all", seeding: "own", grades: {} };

/** Compares every season's tables with those that the tournaments give; returns how many were compared. */
export function checkSeasons(files, manifest, tournaments, fault) {
  for (const name of manifest.seasons) {
    const folder = `seasons/${name}/`, file = { ...DEFAULTS, ...parseToml(utf8(files.get(`${folder}season.toml`))) };
    if (file.name !== name) fault(`season ${name}: its file names it ${file.name}`);
    const season = new Season(file, tournaments);
    for (const [table, text] of [["standings.csv", season.standingsTable()], ["grades.csv", season.gradesTable()]])
      if (utf8(files.get(folder + table)) !== text) fault(`season ${name}: ${table} is not what its tournaments give`);
  }
  return 2 * manifest.seasons.length;
}

/** What was carried over into the seedings comes out of the earlier tournaments again. */
export function checkCarried(files, manifest, tournaments, fault, note) {
  for (const [name, t] of tournaments) {
    if (!t.carried) continue;
    const { season, tournaments: earlier, ratings } = t.carried, names = earlier.map((e) => e.name), say = (text) => fault(`tournament ${name}: ${text}`);
    if (manifest.seasons.includes(season)) {
      const file = { ...DEFAULTS, ...parseToml(utf8(files.get(`seasons/${season}/season.toml`))) };
      const legs = file.tournaments.map((leg) => leg.name ?? leg), before = legs.slice(0, Math.max(0, legs.indexOf(name)));
      if (file.seeding !== "ratings" || !equal(before.filter((n) => names.includes(n)), names)) note(`tournament ${name}: the file of its season now carries nothing over from what decided its seeding`);
    }
    if (names.some((n) => !tournaments.has(n))) { note(`tournament ${name}: its seeding could not be checked, since an earlier tournament is not there`); continue; }
    const then = earlier.map((e) => course(files, e.name, say, e.events));
    if (then.some((one) => !one.isOver() || one.isHiding())) { say("was seeded by a tournament that was not over"); continue; }
    let rated;
    then.reduceRight((make, one) => () => one.counting(make), () => { rated = rate(then); })();
    const expected = Object.fromEntries(t.began.filter((n) => rated.all.has(n)).map((n) => [n, rated.of(n).rating]));
    if (!equal(expected, ratings)) say("was seeded by other ratings than those of the earlier tournaments");
  }
}

const cameTo = (t) => {
  const came = new Set();
  for (const r of t.results)
    if (!r.walkover && r.match !== null && r.reason !== "void")
      r.fixture.players.forEach((n, seat) => { if (r.reason !== "not_ready" || r.winner === seat) came.add(n); });
  return came;
};

/** Who of this tournament has which other name in the season. */
const renamed = (t, file) => {
  const there = new Set(t.entrants.map(({ name }) => name)), names = new Map();
  for (const [old, now] of Object.entries(file.renamed ?? {}))
    if (there.has(old) && !t.isReference(old) && !there.has(now)) { names.set(old, now); there.add(now); }
  return names;
};

/** The ratings from all games of these tournaments, as if they were of one, with the names that `called` gives. */
function rate(begun, called = (name) => name) {
  const once = (lists) => [...new Set(lists.flat())];
  const results = begun.flatMap((t, k) => t.results.map((r) => ({
    ...r, fixture: { ...r.fixture, players: r.fixture.players.map((n) => called(n, t)), pair: `${k}|${r.fixture.pair}`, id: `${k}|${r.fixture.id}` },
  })));
  const seeding = once(begun.map((t) => t.chance.seeding.map((n) => called(n, t)))), reference = once(begun.map((t) => t.spec.reference));
  const spec = { games: once(begun.map((t) => t.spec.games)), reference };
  const all = { results, spec, chance: { seeding, seed: begun[0]?.chance.seed } };
  return new Ratings(all, repeats(results).results, seeding.filter((n) => !reference.includes(n)));
}

class Season {
  constructor(file, tournaments) {
    this.file = file;
    this.legs = file.tournaments.map((leg) => (typeof leg === "string" ? { name: leg, weight: 1 } : { weight: 1, ...leg }));
    this.played = this.legs.map((leg) => { const t = tournaments.get(leg.name); return t?.entrants?.length ? t : null; });
    this.begun = this.played.filter((t) => t);
    this.most = Math.min(file.best || this.legs.length, this.legs.length);
    const names = new Map(this.begun.map((t) => [t, renamed(t, file)]));
    this.called = (name, t) => names.get(t).get(name) ?? name;
    // Each tournament with what counts in it.
    this.begun.reduceRight((make, t) => () => t.counting(make), () => this.build())();
  }

  build() {
    const groups = new Map();
    for (const t of this.begun) for (const { name, group } of t.entrants) if (!t.isReference(name)) groups.set(this.called(name, t), group);
    const scores = this.played.map((t, k) => (t ? this.scores(t, this.legs[k].weight) : new Map()));
    this.ratings = this.file.ratings === "all" ? rate(this.begun, this.called) : null;
    this.rows = [...groups].map(([name, group]) => {
      const legs = scores.map((each) => each.get(name) ?? null);
      const order = legs.map((leg, k) => k).filter((k) => legs[k]).sort((a, b) => legs[b].score - legs[a].score || a - b);
      const best = new Set(order.slice(0, this.most));
      let total = 0;
      legs.forEach((leg, k) => { if (best.has(k)) total += leg.score; });
      return { name, group, legs, best, total: round(total, 6), sums: this.sums(name) };
    });
    this.rows.sort((a, b) => b.total - a.total || byCodePoint(a.name, b.name));
    for (const row of this.rows) row.rank = 1 + this.rows.filter((other) => other.total > row.total).length;
  }

  scores(t, weight) {
    const rows = standings(t).filter((row) => !row.isReference), came = cameTo(t);
    return new Map(rows.map((row) => {
      const above = rows.filter((o) => o.rank < row.rank).length, level = rows.filter((o) => o.rank === row.rank).length;
      const behind = rows.length - above - level;
      let score = rows.length > 1 ? (weight * 100 * (behind + (level - 1) / 2)) / (rows.length - 1) : weight * 100;
      if (this.file.scoring === "points") score = weight * row.sum.points;
      return [this.called(row.name, t), { came: came.has(row.name), score: came.has(row.name) ? score : 0 }];
    }));
  }

  sums(name) {
    const sums = [0, 0, 0]; // wins, draws, losses
    for (const t of this.begun) {
      const absent = absentees(t.results);
      for (const r of t.results) {
        const seat = r.fixture.players.findIndex((n) => this.called(n, t) === name);
        if (r.reason !== "void" && seat >= 0) sums[2 - 2 * worth(r, absent)[seat]]++;
      }
    }
    return sums;
  }

  rating(name) { return this.ratings?.of(name) ?? { rating: null, low: null, high: null, rankLow: null, rankHigh: null }; }

  standingsTable() {
    const table = [[
      "rank", "rank low", "rank high", "player", "group", "total", ...this.legs.flatMap(({ name }) => [name, `${name} counts`]),
      "rating", "rating low", "rating high", "played", "wins", "draws", "losses",
    ]];
    for (const { name, group, legs, best, total, rank, sums } of this.rows) {
      const r = this.rating(name);
      table.push([
        rank, r.rankLow, r.rankHigh, safe(name), safe(group), total, ...legs.flatMap((leg, k) => (leg ? [leg.score, best.has(k) ? 1 : 0] : [null, null])),
        r.rating, r.low, r.high, sums[0] + sums[1] + sums[2], ...sums,
      ]);
    }
    return csv(table);
  }

  gradesTable() {
    const { grades } = this.file, parts = [];
    const highest = this.legs.map((leg) => leg.weight).sort((a, b) => b - a).slice(0, this.most).reduce((sum, w) => sum + w * 100, 0);
    if (grades.base) parts.push({ heading: "base", words: [], of: () => [grades.base] });
    if (grades.score) parts.push({ heading: "score", words: ["total", "highest"], of: ({ total }) => [grades.score.points * (total / highest), total, highest] });
    if (grades.participation)
      parts.push({
        heading: "participation", words: ["came", "begun"],
        of: ({ legs }) => {
          const came = legs.filter((leg) => leg?.came).length, begun = this.begun.length;
          return [grades.participation.points * (begun ? came / begun : 0), came, begun];
        },
      });
    for (const { at_least, points } of grades.rating ?? [])
      parts.push({ heading: `rating ${g(at_least)}`, words: ["low"], of: ({ name }) => { const { low } = this.rating(name); return [low !== null && low >= at_least ? points : 0, low]; } });
    for (const { places, points } of grades.top ?? [])
      parts.push({ heading: `top ${g(places)}`, words: ["place"], of: ({ rank }) => [rank <= places ? points : 0, rank] });
    if (!parts.length || !this.rows.length) return csv([["player", "group", "grade"]]);
    const table = [["player", "group", "grade", ...parts.flatMap((p) => [p.heading, ...p.words.map((w) => `${p.heading} ${w}`)])]];
    for (const row of this.rows) {
      const values = parts.map((p) => p.of(row)), sum = values.reduce((s, [points]) => s + points, 0);
      const grade = round(Math.min(grades.maximum ?? 10, Math.max(0, sum)), 2);
      table.push([safe(row.name), safe(row.group), grade, ...values.flatMap(([points, ...counted]) => [round(points, 2), ...counted])]);
    }
    return csv(table);
  }
}
