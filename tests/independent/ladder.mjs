// The rounds of a ladder (RECORDS.md, "Formats", ladder).
import { byCodePoint } from "./draw.mjs";
import { cheapest } from "./matching.mjs";
import { worth } from "./score.mjs";

const LOTS = 40n; // the lots decide between equal sums of costs: they are the lower bits

export class Ladder {
  constructor(t) { Object.assign(this, { t, round: 0, meetings: new Map(), latest: new Map() }); }

  /** Ratings and numbers of matches, from the results in order. */
  strengths() {
    const all = new Map(this.t.names.map((n) => [n, { rating: 0, matches: 0 }])), absent = new Set();
    for (const r of this.t.results) {
      const w = worth(r, absent);
      if (r.walkover || (!w[0] && !w[1])) continue;
      const [f, g] = r.fixture.players.map((n) => all.get(n)), d = f.rating - g.rating;
      const e = 500 + Math.floor((500 * d) / (Math.abs(d) + 400)), s = 1000 * w[0];
      const step = (p) => 32 + Math.floor(128 / (p.matches + 1));
      const gain = [Math.floor((step(f) * (s - e)) / 1000), Math.floor((step(g) * (e - s)) / 1000)];
      [f, g].forEach((p, k) => { p.rating += gain[k]; p.matches++; });
    }
    return all;
  }

  draw() {
    const { t } = this, { chance, spec } = t;
    const busy = new Set(chance.fixtures.filter((f) => !f.result).flatMap((f) => f.players));
    const isIn = chance.seeding.filter((n) => !t.isOut(n));
    const idle = isIn.filter((n) => !busy.has(n)), playing = isIn.length - idle.length;
    const left = idle.filter((n) => spec.rounds === undefined || this.count(n) < spec.rounds);
    if (idle.length <= Math.max(1, playing) || left.length <= Math.max(1, playing)) return false;
    this.drawRound(left);
    return true;
  }
  join() { return true; }
  count(name) { return this.meetings.get(name) ?? 0; }

  drawRound(names) {
    const { chance } = this.t, round = ++this.round, all = this.strengths();
    const cost = (a, b) => {
      const p = all.get(a), q = all.get(b), x = BigInt(p.matches), y = BigInt(q.matches), d = BigInt(p.rating - q.rating);
      let c = x + y ? (d * d * x * y) / (x + y) : 0n;
      if (c > 10n ** 9n) c = 10n ** 9n;
      if (this.latest.get(a) === b && this.latest.get(b) === a) c += 2n * 10n ** 9n;
      const [s, u] = [a, b].sort(byCodePoint);
      return (c << LOTS) + BigInt(chance.number(`ladder|${round}|${s}|${u}`, 2 ** 24));
    };
    const match = (list) => ({ list, ...cheapest(list.length, (i, j) => cost(list[i], list[j])) });
    let best;
    if (names.length % 2 === 0) best = match(names);
    else {
      const most = Math.max(...names.map((n) => this.count(n)));
      for (const waits of names.filter((n) => this.count(n) === most)) {
        const m = match(names.filter((n) => n !== waits));
        if (!best || m.total < best.total) best = m;
      }
    }
    best.pairs.sort((x, y) => x[0] - y[0]).forEach(([i, j], at) => {
      const a = best.list[i], b = best.list[j];
      const first = chance.number(`seats|${round}|${a}|${b}`, 2) === 0 ? [b, a] : [a, b];
      chance.meeting(round, at + 1, ...first);
      for (const [x, y] of [[a, b], [b, a]]) { this.meetings.set(x, this.count(x) + 1); this.latest.set(x, y); }
    });
  }
}
