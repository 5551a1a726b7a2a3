// grades.csv (RECORDS.md, "The tables", from "grades.csv" on).
import { csv, g, round, safe } from "./numbers.mjs";
import { worth, absentees } from "./score.mjs";

const FAULTS = new Set(["timeout", "illegal", "disconnect", "not_ready", "resign"]);

/** Each part: { heading, words, of(row) -> [points, ...counted] }. */
function parts(t, rows, ratings) {
  const { grades } = t.spec, absent = absentees(t.results), out = [];
  const mine = (name) => t.results.filter((r) => r.reason !== "void" && r.fixture.players.includes(name))
    .map((r) => ({ r, seat: r.fixture.players.indexOf(name), opponent: r.fixture.players.find((n) => n !== name) }));
  if (grades.base) out.push({ heading: "base", words: [], most: grades.base, of: () => [grades.base] });
  for (const rule of grades.beats)
    out.push({
      heading: `beats ${rule.level}${rule.game ? " " + rule.game : ""}`, words: ["scored", "matches"], most: rule.points,
      of({ name }) {
        const all = mine(name).filter((m) => m.opponent === rule.level && (!rule.game || m.r.fixture.game === rule.game));
        const scored = all.reduce((sum, m) => sum + worth(m.r, absent)[m.seat], 0);
        return [2 * scored > all.length ? rule.points : 0, scored, all.length];
      },
    });
  for (const rule of grades.rating)
    out.push({
      heading: `rating ${g(rule.at_least)}`, words: ["low"], most: rule.points,
      of({ name }) { const { low } = ratings.of(name); return [low !== null && low >= rule.at_least ? rule.points : 0, low]; },
    });
  for (const rule of grades.reliability)
    out.push({
      heading: "reliability", words: ["good", "matches"], most: rule.points,
      of({ name }) {
        const all = mine(name).filter((m) => !m.r.walkover);
        const good = all.filter((m) => !(FAULTS.has(m.r.reason) && m.r.winner !== m.seat)).length;
        return [all.length ? rule.points * (good / all.length) : 0, good, all.length];
      },
    });
  for (const rule of grades.participation)
    out.push({
      heading: "participation", words: ["came", "late", "crashed", "absent", "matches"], most: rule.points,
      of({ name }) {
        const any = mine(name), all = any.filter((m) => !m.r.walkover || worth(m.r, absent)[m.seat] === 0);
        const came = all.filter((m) => !m.r.walkover && !(m.r.reason === "not_ready" && m.r.winner !== m.seat)).length;
        const lost = (...reasons) => all.filter((m) => !m.r.walkover && reasons.includes(m.r.reason) && m.r.winner !== m.seat).length;
        const share = all.length ? came / all.length : any.length ? 1 : 0;
        return [rule.points * share, came, lost("timeout"), lost("resign", "disconnect"), all.length - came, all.length];
      },
    });
  for (const rule of grades.top)
    out.push({
      heading: `top ${g(rule.places)}`, words: ["place"], most: rule.points,
      of({ rank }) { return [rank <= rule.places ? rule.points : 0, rank]; },
    });
  return out;
}

export function gradesTable(t, rows, ratings) {
  const all = parts(t, rows, ratings);
  if (!all.some((p) => p.most > 0)) return csv([["player", "group", "grade"]]);
  const table = [["player", "group", "grade", ...all.flatMap((p) => [p.heading, ...p.words.map((w) => `${p.heading} ${w}`)]).map(safe)]];
  for (const row of rows) {
    if (row.isReference) continue;
    const values = all.map((p) => p.of(row)), sum = values.reduce((s, [points]) => s + points, 0);
    const grade = round(Math.min(t.spec.grades.maximum, Math.max(0, sum)), 2);
    table.push([safe(row.name), safe(row.group), grade, ...values.flatMap(([points, ...counted]) => [round(points, 2), ...counted])]);
  }
  return csv(table);
}
