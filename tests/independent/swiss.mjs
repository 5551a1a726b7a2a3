// The rounds of a Swiss (RECORDS.md, "Formats", swiss).
import { cheapest, pack } from "./matching.mjs";

export class Swiss {
  constructor(t, base) {
    Object.assign(this, { t, base, drawn: 0, given: [] });
  }
  /** How many, for as many contenders as there are now. */
  get rounds() {
    const n = this.t.contenders.length;
    return Math.min(this.t.spec.rounds ?? Math.ceil(Math.log2(Math.max(1, n))) + 2, n - 1 + (n % 2));
  }

  /** How many byes everybody had in rounds before this one. */
  byes(before = Infinity) {
    const count = new Map();
    for (const [name, round] of this.given) if (round < before) count.set(name, (count.get(name) ?? 0) + 1);
    return count;
  }
  draw() {
    const { t } = this, { chance } = t, byes = this.byes();
    if (this.drawn >= this.rounds || chance.fixtures.some((f) => !f.result)) return false;
    const sums = t.tally(), points = (name) => sums.get(name).points;
    const names = t.contenders.filter((n) => !t.isOut(n)).sort((a, b) => points(b) - points(a) || chance.place.get(a) - chance.place.get(b));
    if (names.length < 2) return false;
    const round = this.base + ++this.drawn, n = names.length;
    const lot = names.map((name) => 1 + chance.number(`swiss|${round}|${name}`, 16777212));
    const level = (a) => names.filter((x) => points(x) === points(names[a])).length;

    const met = (a, b) => chance.fixtures.filter((f) => f.players.includes(names[a]) && f.players.includes(names[b])).length;
    const cost = (a, b) => {
      if (b === n) return pack([byes.get(names[a]) ?? 0, Math.min(300, 2 * (points(names[a]) - points(names[n - 1]))), 0, 0, 0, 0, lot[a]]);
      const apart = points(names[a]) - points(names[b]), seats = this.seats(round, names[a], names[b]);
      return pack([
        met(a, b), 0, seats.beyond, Math.min(300, Math.abs(2 * apart)) ** 2, seats.imbalance,
        apart === 0 ? Math.abs(b - (a + Math.floor(level(a) / 2))) : 0, (BigInt(lot[a]) * BigInt(lot[b])) % 16777213n,
      ]);
    };
    let table = 0;
    for (const [a, b] of cheapest(n + (n % 2), cost).pairs.sort((x, y) => x[0] - y[0])) {
      if (b === n) { this.given.push([names[a], round]); continue; }
      const [p, q] = this.seats(round, names[a], names[b]).order;
      chance.meeting(round, ++table, p, q);
    }
    return true;
  }

  /** Which of two has the first seat, and what that costs; seats count only if a meeting has an odd number of matches. */
  seats(round, a, b) {
    const { t } = this;
    if (t.chance.matchesPerMeeting() % 2 === 0) return { order: [a, b], beyond: 0, imbalance: 0 };
    const s = (name) => {
      let sum = 0;
      for (const r of t.results) if (r.match) sum += (r.fixture.players[0] === name) - (r.fixture.players[1] === name);
      return sum;
    };
    const price = (p, q) => {
      const x = s(p) + 1, y = s(q) - 1;
      return {
        order: [p, q], beyond: Math.max(0, Math.abs(x) - 2) + Math.max(0, Math.abs(y) - 2), imbalance: x * x + y * y,
        lot: t.chance.hash(`seats|${round}|${p}|${q}`),
      };
    };
    return [price(a, b), price(b, a)].sort((x, y) => x.beyond - y.beyond || x.imbalance - y.imbalance || (x.lot < y.lot ? -1 : 1))[0];
  }
}
