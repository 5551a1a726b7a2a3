// What each format draws, and when (RECORDS.md, "Formats"). A format has draw(): true if it drew something.
// `t` is the tournament: spec, chance (Draw), contenders and references in seeding order, names (all), results, isOut(name), absent().
import { berger } from "./draw.mjs";
import { tally, worth } from "./score.mjs";
import { Swiss } from "./swiss.mjs";
import { Ladder } from "./ladder.mjs";

/** The result of a fixture, also if it was struck. */
const own = (f) => (f.struck ? f.struck.own : f.result);

class RoundRobin {
  constructor(t) { this.t = t; this.done = false; }
  draw() {
    if (this.done) return false;
    this.done = true;
    this.last = drawBerger(this.t, [this.t.chance.seeding], 0);
    return true;
  }
  join(name) {
    const others = this.t.chance.seeding.slice(0, -1), { cycles } = this.t.spec, last = this.last;
    drawFurther(this.t, name, others, cycles, (n) => [last + n, 1]);
    this.last += others.length * cycles;
    return true;
  }
}

/** The further meetings of who comes late with others; place(n) gives round and table of the n-th, from 1. */
function drawFurther(t, name, others, cycles, place) {
  for (let cycle = 0, n = 0; cycle < cycles; cycle++)
    others.forEach((other, k) => t.chance.meeting(...place(++n), ...((k + cycle) % 2 === 0 ? [name, other] : [other, name])));
}

/** Berger's tables of all groups; in a round the tables of the first group come first. Returns the number of rounds. */
function drawBerger(t, groups, base) {
  const all = groups.flatMap((names, g) => berger(names, t.spec.cycles).map(([round, p, q]) => ({ round, g, p, q })));
  const rounds = Math.max(0, ...all.map((m) => m.round));
  for (let r = 1; r <= rounds; r++)
    all.filter((m) => m.round === r).forEach((m, i) => t.chance.meeting(base + r, i + 1, m.p, m.q));
  return rounds;
}

/** Returns the number of rounds. */
function drawGauntlet(t, cycles) {
  const bots = t.references, n = bots.length;
  for (let k = 0; k < n * cycles; k++)
    t.contenders.forEach((name, at) => {
      const bot = bots[(k + at + 1) % n], first = (Math.floor(k / n) + at + 1) % 2 === 1;
      t.chance.meeting(k + 1, at + 1, first ? name : bot, first ? bot : name);
    });
  return n * cycles;
}

class Gauntlet {
  constructor(t, cycles) { Object.assign(this, { t, cycles, done: false, rounds: 0 }); }
  draw() {
    if (this.done) return false;
    this.done = true;
    this.rounds = drawGauntlet(this.t, this.cycles);
    return this.rounds > 0;
  }
  join(name) {
    const { rounds, t, cycles } = this;
    drawFurther(t, name, t.references, cycles, (n) => [rounds + n, 1]);
    this.rounds += t.references.length * cycles;
    return true;
  }
  get last() { return this.rounds; }
}

/** Places of a bracket of 2^k: [0] with each x replaced by x and 2 × length - 1 - x. */
function places(n) {
  let list = [0];
  while (list.length < Math.max(2, n)) list = list.flatMap((x) => [x, 2 * list.length - 1 - x]);
  return list;
}

class Bracket {
  constructor(t, seeds, base) {
    Object.assign(this, { t, seeds, base });
    this.tables = new Map();
    this.restart();
  }
  /** Winners are worked out anew each time, since `reinstated` and `ruled` can take back results. null: nobody; undefined: not known yet. */
  restart() {
    this.rounds = [places(this.seeds.length).map((i) => this.seeds[i] ?? null)];
    while (this.rounds.at(-1).length > 1) this.rounds.push(Array(this.rounds.at(-1).length / 2).fill(undefined));
  }
  /** Points in a meeting: walkovers as such, void as nothing. */
  points(fixtures, name) {
    let sum = 0;
    for (const f of fixtures) sum += worth(own(f), new Set())[f.players.indexOf(name)];
    return sum;
  }
  draw() { return this.settle(!this.t.isClosed); }
  settle(mayDraw) {
    let drew = false;
    this.restart();
    for (let r = 0; r + 1 < this.rounds.length; r++)
      for (let table = 1; 2 * table <= this.rounds[r].length; table++) {
        const [p, q] = this.rounds[r].slice(2 * table - 2, 2 * table);
        if (p === undefined || q === undefined || this.rounds[r + 1][table - 1] !== undefined) continue;
        if (p === null || q === null) { this.rounds[r + 1][table - 1] = p ?? q; continue; }
        drew = this.meet(r, table, p, q, mayDraw) || drew;
      }
    return drew;
  }
  meet(r, table, p, q, mayDraw) {
    const { chance, spec } = this.t, round = this.base + r + 1, key = [r, table, ...[p, q].sort()].join("|");
    const last = Math.max(0, ...chance.fixtures.filter((f) => f.round === round && f.table === table).map((f) => f.number));
    if (!this.tables.has(key)) {
      if (!mayDraw) return false;
      const from = chance.fixtures.length;
      chance.meeting(round, table, p, q, last);
      this.tables.set(key, { fixtures: chance.fixtures.slice(from), extra: 0 });
      return true;
    }
    const meeting = this.tables.get(key);
    if (meeting.fixtures.some((f) => !own(f))) return false;
    const a = this.points(meeting.fixtures, p), b = this.points(meeting.fixtures, q);
    if (a === b && meeting.extra < spec.tie_breaks) {
      if (!mayDraw) return false;
      const e = meeting.extra++, from = chance.fixtures.length;
      chance.pair(round, table, spec.games[e % spec.games.length], last + 1, e % 2 ? q : p, e % 2 ? p : q);
      meeting.fixtures.push(...chance.fixtures.slice(from));
      return true;
    }
    const better = this.seeds.indexOf(p) < this.seeds.indexOf(q) ? p : q;
    this.rounds[r + 1][table - 1] = a > b ? p : b > a ? q : better;
    return false;
  }
  /** The number of rounds won, with or without an opponent. */
  survived(name) {
    this.settle(false);
    return this.rounds.slice(1).filter((round) => round.includes(name)).length;
  }
  /** The fixtures of those who are not the players of their meeting now. */
  misplaced() {
    this.settle(false);
    const isNow = ([key]) => {
      const [r, table, ...names] = key.split("|"), now = this.rounds[r].slice(2 * table - 2, 2 * table);
      return names.every((name) => now.includes(name));
    };
    return [...this.tables].filter((one) => !isNow(one)).flatMap(([, { fixtures }]) => fixtures);
  }
}

class Elimination {
  constructor(t) { this.t = t; this.first = new Gauntlet(t, 1); this.bracket = null; }
  draw() {
    if (this.first.draw()) return true;
    this.bracket ??= new Bracket(this.t, this.t.contenders, this.first.rounds);
    return this.bracket.draw();
  }
  misplaced() { return this.bracket?.misplaced() ?? []; }
  survived(name) { return this.bracket?.survived(name) ?? 0; }
  get last() { return this.bracket ? this.bracket.base + this.bracket.rounds.length - 1 : Infinity; }
}

class Groups {
  constructor(t) { Object.assign(this, { t, done: false, bracket: null, groups: [] }); }
  draw() {
    const { t } = this;
    if (!this.done) {
      this.done = true;
      const c = Math.ceil(t.contenders.length / t.spec.group_size);
      this.groups = Array.from({ length: c }, () => []);
      t.contenders.forEach((name, p) => this.groups[Math.floor(p / c) % 2 ? c - 1 - (p % c) : p % c].push(name));
      const base = drawGauntlet(t, 1), from = t.chance.fixtures.length;
      this.base = base + drawBerger(t, this.groups, base);
      this.fixtures = new Set(t.chance.fixtures.slice(from));
      return true;
    }
    const seeds = this.seeds();
    if (seeds.length < 2) return false;
    this.bracket ??= new Bracket(t, seeds, this.base);
    this.bracket.seeds = seeds;
    return this.bracket.draw();
  }
  /** Who qualified; nobody before all matches of the groups have results. */
  seeds() {
    const seeds = [];
    for (const f of this.fixtures) if (!f.result) return [];
    const ranked = this.ranked();
    for (let k = 0; k < this.t.spec.qualify; k++) for (const names of ranked) if (names[k] !== undefined) seeds.push(names[k]);
    return seeds;
  }
  misplaced() {
    if (!this.bracket) return [];
    const seeds = this.seeds();
    if (!seeds.length) return [...this.bracket.tables.values()].flatMap(({ fixtures }) => fixtures);
    this.bracket.seeds = seeds;
    return this.bracket.misplaced();
  }
  ranked() {
    const results = this.t.results.filter((r) => this.fixtures.has(r.fixture));
    const sums = tally(this.t.names, results), key = (n) => { const s = sums.get(n); return [s.points, s.head, s.sonneborn, s.wins]; };
    return this.groups.map((names) => [...names].sort((a, b) => {
      const x = key(a), y = key(b), i = x.findIndex((v, k) => v !== y[k]);
      return i < 0 ? this.t.chance.place.get(a) - this.t.chance.place.get(b) : y[i] - x[i];
    }));
  }
  survived(name) { return this.bracket?.survived(name) ?? 0; }
  get last() { return this.bracket ? this.bracket.base + this.bracket.rounds.length - 1 : Infinity; }
  placeInGroup(name) { return Math.max(0, ...this.ranked().map((names) => names.indexOf(name) + 1)); }
}

class GauntletThenSwiss {
  constructor(t) { this.first = new Gauntlet(t, 1); this.swiss = null; this.t = t; }
  draw() {
    if (this.first.draw()) return true;
    this.swiss ??= new Swiss(this.t, this.first.rounds);
    return this.swiss.draw();
  }
  join(name) {
    const { fixtures } = this.t.chance, round = Math.max(0, ...fixtures.map((f) => f.round));
    if (this.swiss && this.swiss.drawn >= this.swiss.rounds) return false;
    const last = Math.max(0, ...fixtures.filter((f) => f.round === round).map((f) => f.table));
    drawFurther(this.t, name, this.t.references, 1, (n) => [round, last + n]);
    return true;
  }
  get last() { return this.swiss ? this.swiss.base + this.swiss.rounds : Infinity; }
  byes(before) { return this.swiss?.byes(before) ?? new Map(); }
}

export function makeFormat(t) {
  switch (t.spec.format) {
    case "round-robin": return new RoundRobin(t);
    case "gauntlet": return new Gauntlet(t, t.spec.cycles);
    case "swiss": return new GauntletThenSwiss(t);
    case "elimination": return new Elimination(t);
    case "groups": return new Groups(t);
    case "ladder": return new Ladder(t);
  }
}
