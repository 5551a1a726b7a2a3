// Repeated games, ratings, their intervals and the range of the ranks (RECORDS.md, "The tables", repeats; "Ratings").
import { createHash } from "node:crypto";
import { apply, invert, multiply, squareRoot, zeros } from "./linear.mjs";
import { round } from "./numbers.mjs";

const E = 400 / Math.LN10, ROWS = 2000;

/** Which results repeat an earlier game, and how often that happened to each player. */
export function repeats(results) {
  const seen = new Set(), again = new Set(), count = new Map();
  for (const r of results) {
    if (!["rules", "ply_limit"].includes(r.reason) || !r.actions.length) continue;
    const key = JSON.stringify([r.fixture.game, r.fixture.players, r.fixture.opening, r.actions]);
    if (seen.has(key)) { again.add(r); for (const n of r.fixture.players) count.set(n, (count.get(n) ?? 0) + 1); }
    seen.add(key);
  }
  return { results: again, count };
}

/** The model for one σ: mode, C, log evidence, mean and dispersion. */
class Fit {
  constructor(games, n, kinds, k) {
    const sigma = (60 * 2 ** (k / 2)) / E, size = n + 2 * kinds;
    Object.assign(this, { games, n, kinds, size });
    this.precision = new Float64Array(size);
    this.centre = new Float64Array(size);
    for (let i = 0; i < n; i++) this.precision[i] = 1 / sigma ** 2;
    for (let i = n; i < n + kinds; i++) this.precision[i] = 1 / (200 / E) ** 2;
    for (let i = n + kinds; i < size; i++) { this.precision[i] = 1; this.centre[i] = -2; }
    this.findMode();
    const { inverse, logDet } = invert(this.hessian(this.x));
    this.C = inverse;
    let sum = this.logPosterior(this.x) - logDet / 2 - ((Math.log(sigma) - Math.log(500 / E)) / 0.5) ** 2 / 2;
    for (const p of this.precision) sum += Math.log(p) / 2;
    this.evidence = sum;
  }
  chances(x, { f, s, kind }) {
    const d = x[f] - x[s] + x[this.n + kind], v = x[this.n + this.kinds + kind], top = Math.max(d / 2, -d / 2, v);
    const w = Math.exp(d / 2 - top), l = Math.exp(-d / 2 - top), t = Math.exp(v - top), z = w + l + t;
    const win = w / z, loss = l / z, m = (win - loss) / 2;
    return { win, loss, draw: t / z, m, q: (win + loss) / 4 - m * m, d, v, logZ: Math.log(z) + top };
  }
  logPosterior(x) {
    let sum = 0;
    for (const game of this.games) {
      const c = this.chances(x, game);
      sum += (game.y === 1 ? c.d / 2 : game.y === 0 ? -c.d / 2 : c.v) - c.logZ;
    }
    for (let i = 0; i < this.size; i++) sum -= (this.precision[i] * (x[i] - this.centre[i]) ** 2) / 2;
    return sum;
  }
  gradient(x) {
    const out = Float64Array.from(x, (v, i) => -this.precision[i] * (v - this.centre[i]));
    for (const game of this.games) {
      const c = this.chances(x, game), r = game.y - 0.5 - c.m;
      out[game.f] += r;
      out[game.s] -= r;
      out[this.n + game.kind] += r;
      out[this.n + this.kinds + game.kind] += (game.y === 0.5 ? 1 : 0) - c.draw;
    }
    return out;
  }
  hessian(x) {
    const h = zeros(this.size);
    this.precision.forEach((p, i) => { h[i][i] = p; });
    for (const game of this.games) {
      const c = this.chances(x, game), v = this.n + this.kinds + game.kind, u = [[game.f, 1], [game.s, -1], [this.n + game.kind, 1]];
      for (const [i, a] of u) {
        for (const [j, b] of u) h[i][j] += a * b * c.q;
        h[i][v] -= a * c.m * c.draw;
        h[v][i] -= a * c.m * c.draw;
      }
      h[v][v] += c.draw * (1 - c.draw);
    }
    return h;
  }
  findMode() {
    let x = Float64Array.from(this.centre), best = this.logPosterior(x);
    for (let step = 0; step < 200; step++) {
      const move = apply(invert(this.hessian(x)).inverse, this.gradient(x));
      let scale = 1, next, value;
      do {
        next = x.map((v, i) => v + scale * move[i]);
        value = this.logPosterior(next);
        scale /= 2;
      } while (value < best - 1e-9 && scale > 1e-12);
      x = next;
      best = value;
      if (Math.max(...move.map(Math.abs)) < 1e-12) break;
    }
    this.x = x;
  }
  /** The mean: the mode, shifted against the skewness of the games. */
  mean() {
    const pulls = new Float64Array(this.size), { C } = this;
    for (const game of this.games) {
      const { win, loss, draw, m } = this.chances(this.x, game), u = [[game.f, 1], [game.s, -1], [this.n + game.kind, 1]];
      const skew = win * (0.5 - m) ** 3 - loss * (0.5 + m) ** 3 - draw * m ** 3;
      let uCu = 0;
      for (const [i, a] of u) for (const [j, b] of u) uCu += a * b * C[i][j];
      for (const [i, a] of u) pulls[i] += (-a * uCu * skew) / 2;
    }
    return apply(C, pulls).map((v, i) => { const most = Math.sqrt(C[i][i]) / 2; return this.x[i] + Math.max(-most, Math.min(most, v)); });
  }
  dispersion() {
    const pairs = new Map();
    for (const game of this.games) pairs.set(game.pair, [...(pairs.get(game.pair) ?? []), game]);
    let above = 0, below = 0;
    for (const games of pairs.values()) {
      games.sort((a, b) => (a.id < b.id ? -1 : 1));
      let residual = 0, expected = 0;
      const l = new Float64Array(this.n);
      for (const game of games) {
        const { m, q } = this.chances(this.x, game), sign = game.f === games[0].f ? 1 : -1;
        residual += sign * (game.y - 0.5 - m);
        expected += q;
        l[game.f] += sign * q;
        l[game.s] -= sign * q;
      }
      let leverage = 0;
      for (let i = 0; i < this.n; i++) for (let j = 0; j < this.n; j++) leverage += l[i] * this.C[i][j] * l[j];
      above += residual ** 2;
      below += expected - leverage;
    }
    return below > 0 ? above / below : 1;
  }
}

const NONE = { rating: null, low: null, high: null, rankLow: null, rankHigh: null };

export class Ratings {
  /** `ranked`: the names that have a range of ranks. */
  constructor(t, repeated, ranked) {
    const rated = t.results.filter((r) => !r.walkover && !["void", "not_ready"].includes(r.reason) && !repeated.has(r)
      && (r.reason !== "ruled" || r.actions.length));
    const names = t.chance.seeding.filter((n) => rated.some((r) => r.fixture.players.includes(n)));
    this.all = new Map();
    if (!names.length) return;
    const games = rated.map((r) => ({
      f: names.indexOf(r.fixture.players[0]), s: names.indexOf(r.fixture.players[1]), kind: t.spec.games.indexOf(r.fixture.game),
      y: r.winner === 0 ? 1 : r.winner === 1 ? 0 : 0.5, pair: r.fixture.pair, id: r.fixture.id,
    }));
    this.fit(games, names.length, t.spec.games.length);
    const bot = t.spec.reference.find((n) => names.includes(n)), z = bot === undefined ? -1 : names.indexOf(bot);
    const { mu, V } = this;
    names.forEach((name, i) => {
      const value = E * (mu[i] - (z < 0 ? 0 : mu[z]));
      const spread = V[i][i] + (z < 0 ? 0 : V[z][z] - 2 * V[i][z]), half = 1.959964 * E * Math.sqrt(Math.max(0, spread));
      this.all.set(name, { ...NONE, rating: round(value), low: round(value - half), high: round(value + half) });
    });
    this.rank(t.chance.seed, names, ranked.filter((n) => names.includes(n)));
  }
  of(name) { return this.all.get(name) ?? NONE; }

  fit(games, n, kinds) {
    const fits = [];
    let highest = -Infinity;
    const side = (ks) => {
      for (const k of ks) {
        const fit = new Fit(games, n, kinds, k);
        fits.push(fit);
        if (fit.evidence < highest - 8) return;
        highest = Math.max(highest, fit.evidence);
      }
    };
    side([5, 6, 7, 8, 9, 10]);
    side([4, 3, 2, 1, 0]);
    const raw = fits.map((f) => Math.exp(f.evidence - highest)), total = raw.reduce((a, b) => a + b), w = raw.map((x) => x / total);
    const centred = (v) => { const mean = v.reduce((a, b) => a + b) / n; return v.map((x) => x - mean); };
    const means = fits.map((f) => centred(f.mean().slice(0, n)));
    this.mu = Float64Array.from({ length: n }, (_, i) => means.reduce((s, m, k) => s + w[k] * m[i], 0));
    const phi = Math.max(1, fits.reduce((s, f, k) => s + w[k] * f.dispersion(), 0));
    const M = zeros(n).map((row, i) => row.map((_, j) => (i === j ? 1 : 0) - 1 / n));
    this.V = zeros(n);
    fits.forEach((f, k) => {
      const MCM = multiply(multiply(M, f.C.slice(0, n).map((r) => r.slice(0, n))), M);
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++)
          this.V[i][j] += 1.06 ** 2 * w[k] * (phi * MCM[i][j] + (means[k][i] - this.mu[i]) * (means[k][j] - this.mu[j]));
    });
  }

  rank(seed, names, ranked) {
    const n = names.length, S = squareRoot(this.V);
    const bytes = createHash("shake256", { outputLength: 8 * ROWS * n }).update(`${seed}|ranks`).digest();
    const u = (j) => (bytes.readUInt32BE(4 * j) + 0.5) / 2 ** 32;
    const at = ranked.map((name) => names.indexOf(name)), ranks = ranked.map(() => []);
    for (let r = 0; r < ROWS; r++) {
      const z = Float64Array.from({ length: n }, (_, i) => {
        const j = r * n + i;
        return Math.sqrt(-2 * Math.log(u(j))) * Math.cos(2 * Math.PI * u(ROWS * n + j));
      });
      const strength = apply(S, z).map((v, i) => v + this.mu[i]);
      const order = at.map((_, k) => k).sort((a, b) => strength[at[b]] - strength[at[a]]);
      order.forEach((k, place) => ranks[k].push(place + 1));
    }
    ranked.forEach((name, k) => {
      const sorted = ranks[k].sort((a, b) => a - b), r = this.all.get(name);
      r.rankLow = sorted[50];
      r.rankHigh = sorted[ROWS - 51];
    });
  }
}
