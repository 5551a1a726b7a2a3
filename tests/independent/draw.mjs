// Chance, meetings and openings (RECORDS.md, "Chance and openings" and "Formats", "A meeting").
import { sha } from "./json.mjs";
import { GAMES } from "./games.mjs";

/** Order of texts by code points. */
export function byCodePoint(a, b) {
  const x = [...a], y = [...b];
  for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  return x.length - y.length;
}

export class Draw {
  constructor(spec, seed, entrants, lists, carried) {
    Object.assign(this, { spec, seed, lists, fixtures: [], byId: new Map(), pairs: new Map() });
    const names = entrants.map((e) => e.name);
    this.seeding = spec.seeding === "roster" ? names : this.shuffled("seeding", names);
    if (carried) {
      const rank = (name) => (Object.hasOwn(carried.ratings, name) ? -carried.ratings[name] : Infinity);
      this.seeding = this.seeding.map((name, i) => [name, i]).sort(([a, i], [b, j]) => (rank(a) === rank(b) ? i - j : rank(a) - rank(b))).map(([name]) => name);
    }
    this.place = new Map(this.seeding.map((name, i) => [name, i]));
  }

  hash(label) { return BigInt("0x" + sha(`${this.seed}|${label}`).toString("hex")); }
  number(label, n) { return Number(this.hash(label) % BigInt(n)); }
  shuffled(label, names) {
    return names.map((name) => [this.hash(`${label}|${name}`), name])
      .sort(([x, a], [y, b]) => (x < y ? -1 : x > y ? 1 : byCodePoint(a, b))).map(([, name]) => name);
  }

  /** All matches of a meeting of P and Q, with numbers after `after`. */
  meeting(round, table, p, q, after = 0) {
    const { games, pairs, swap } = this.spec;
    let n = 0;
    for (const game of games)
      for (let number = after + 1; number <= after + pairs; number++) {
        const flip = !swap && n++ % 2 === 1;
        this.pair(round, table, game, number, flip ? q : p, flip ? p : q);
      }
  }
  pair(round, table, game, number, p, q) {
    const pair = `${round}-${table}-${game}-${number}`, opening = this.opening(game, p, q);
    for (let leg = 1; leg <= (this.spec.swap ? 2 : 1); leg++) {
      const players = leg === 1 ? [p, q] : [q, p];
      const fixture = { id: `${pair}-${leg}`, round, table, game, number, pair, players, opening, result: null, match: null, voids: 0, struck: null };
      this.fixtures.push(fixture);
      this.byId.set(fixture.id, fixture);
    }
  }
  matchesPerMeeting() { return this.spec.games.length * this.spec.pairs * (this.spec.swap ? 2 : 1); }

  opening(game, p, q) {
    const [a, b] = [p, q].sort(byCodePoint), label = `opening|${game}|${a}|${b}`;
    const before = this.pairs.get(label) ?? 0;
    this.pairs.set(label, before + 1);
    if (!this.spec.openings) return [];
    const list = this.lists[game];
    if (list) return list[(this.number(label, list.length) + before) % list.length];
    return this.randomOpening(game, `${label}|${before}`);
  }
  /** For games without a list: the first attempt that is not over and that no action ends at once. */
  randomOpening(game, label) {
    const rules = GAMES[game];
    if (!rules) throw Error(`the game ${game} is not in RULES.md`);
    for (let attempt = 0; attempt < 1000; attempt++) {
      let state = rules.start();
      const actions = [];
      for (let ply = 0; ply < this.spec.opening_plies && !state.returns; ply++) {
        const legal = rules.legal(state), a = legal[this.number(`${label}|${attempt}|${ply}`, legal.length)];
        actions.push(a);
        state = rules.play(state, a);
      }
      if (!state.returns && !rules.legal(state).some((a) => rules.play(state, a).returns)) return actions;
    }
    return [];
  }
}

/** Berger's tables for some names: [[round from 1, P, Q], ...], tables of a round in ascending order of the smaller number. */
export function berger(names, cycles) {
  const n = names.length, m = n + (n % 2), out = [];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const pairs = [];
    for (let i = 1; i <= n; i++)
      for (let j = i + 1; j <= n; j++) {
        const last = j === m;
        const round = last ? ((2 * i - 2) % (m - 1)) + 1 : ((i + j - 2) % (m - 1)) + 1;
        const iFirst = last ? 2 * i <= m : (i + j) % 2 === 1;
        pairs.push([cycle * (m - 1) + round, i, ...(iFirst === (cycle % 2 === 0) ? [i, j] : [j, i])]);
      }
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const [round, , p, q] of pairs) out.push([round, names[p - 1], names[q - 1]]);
  }
  return out;
}
