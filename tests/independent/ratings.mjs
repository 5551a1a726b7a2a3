// "Ratings" of protocol/RECORDS.md: Elo, its interval and the range of the rank of each player.
import { createHash } from "node:crypto";

const E = 400 / Math.log(10);
const zeros = (n, m) => Array.from({ length: n }, () => new Float64Array(m));
const range = (n) => [...Array(n).keys()];
const unplayed = ["void", "not_ready", "walkover"];

// The inverse of a positive definite matrix, and the logarithm of its determinant (Gauss-Jordan).
function inverse(matrix) {
  const n = matrix.length, a = matrix.map((row) => Float64Array.from(row)), b = zeros(n, n);
  let logDet = 0;
  for (let i = 0; i < n; i++) b[i][i] = 1;
  for (let i = 0; i < n; i++) {
    const pivot = a[i][i];
    logDet += Math.log(pivot);
    for (let k = 0; k < n; k++) {
      a[i][k] /= pivot;
      b[i][k] /= pivot;
    }
    for (let j = 0; j < n; j++) {
      const f = a[j][i];
      if (j === i || f === 0) continue;
      for (let k = 0; k < n; k++) {
        a[j][k] -= f * a[i][k];
        b[j][k] -= f * b[i][k];
      }
    }
  }
  return { inverse: b, logDet };
}

const times = (a, b) => {
  const out = zeros(a.length, b[0].length);
  for (let i = 0; i < a.length; i++) for (let k = 0; k < b.length; k++) for (let j = 0; j < b[0].length; j++) out[i][j] += a[i][k] * b[k][j];
  return out;
};
const apply = (a, x) => a.map((row) => row.reduce((sum, value, i) => sum + value * x[i], 0));

// The symmetric square root of a positive semidefinite matrix (Jacobi's rotations).
function root(matrix) {
  const n = matrix.length, a = matrix.map((row) => Float64Array.from(row)), v = zeros(n, n);
  for (let i = 0; i < n; i++) v[i][i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue;
        off += a[p][q] ** 2;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
        for (let k = 0; k < n; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
        for (let k = 0; k < n; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        for (let k = 0; k < n; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
      }
    }
    if (off < 1e-30) break;
  }
  const scaled = v.map((row) => row.map((value, j) => value * Math.sqrt(Math.max(0, a[j][j]))));
  return times(scaled, range(n).map((j) => Float64Array.from(range(n), (i) => v[i][j])));
}

class Model {
  constructor(games, players, kinds) {
    Object.assign(this, { games, players, kinds, size: players + 2 * kinds });
    this.centre = range(this.size).map((i) => (i < players + kinds ? 0 : -2));
  }

  // Where a game has its unknowns, with their signs in d; and its draw parameter.
  of(game) {
    return { at: [[game.f, 1], [game.s, -1], [this.players + game.kind, 1]], v: this.players + this.kinds + game.kind };
  }

  chances(x, game) {
    const { at, v } = this.of(game), d = at.reduce((sum, [i, sign]) => sum + sign * x[i], 0);
    const top = Math.max(d / 2, -d / 2, x[v]), [w, l, r] = [Math.exp(d / 2 - top), Math.exp(-d / 2 - top), Math.exp(x[v] - top)];
    return { win: w / (w + l + r), loss: l / (w + l + r), draw: r / (w + l + r) };
  }

  fit(sigma) {
    const { size, players, kinds, centre } = this;
    const precision = range(size).map((i) => (i < players ? 1 / sigma ** 2 : i < players + kinds ? (E / 200) ** 2 : 1));
    const x = [...centre];
    let H, found;
    for (let step = 0; step < 200; step++) {
      const gradient = x.map((value, i) => -precision[i] * (value - centre[i]));
      H = zeros(size, size);
      for (let i = 0; i < size; i++) H[i][i] = precision[i];
      for (const game of this.games) {
        const { win, loss, draw } = this.chances(x, game), { at, v } = this.of(game), m = (win - loss) / 2, q = (win + loss) / 4 - m * m;
        for (const [i, sign] of at) {
          gradient[i] += sign * (game.y - 0.5 - m);
          for (const [j, other] of at) H[i][j] += sign * other * q;
          H[i][v] -= sign * m * draw;
          H[v][i] -= sign * m * draw;
        }
        gradient[v] += (game.y === 0.5 ? 1 : 0) - draw;
        H[v][v] += draw * (1 - draw);
      }
      found = inverse(H);
      const move = apply(found.inverse, gradient).map((value) => Math.max(-1, Math.min(1, value)));
      move.forEach((value, i) => (x[i] += value));
      if (Math.max(...move.map(Math.abs)) < 1e-10) break;
    }
    let evidence = -found.logDet / 2 - ((Math.log(sigma) - Math.log(500 / E)) / 0.5) ** 2 / 2;
    x.forEach((value, i) => (evidence += Math.log(precision[i]) / 2 - (precision[i] * (value - centre[i]) ** 2) / 2));
    for (const game of this.games) {
      const { win, loss, draw } = this.chances(x, game);
      evidence += Math.log(game.y === 1 ? win : game.y === 0 ? loss : draw);
    }
    const C = found.inverse;
    return { C, evidence, mean: this.mean(x, C), dispersion: this.dispersion(x, C) };
  }

  mean(x, C) {
    const sum = new Float64Array(this.size);
    for (const game of this.games) {
      const { win, loss, draw } = this.chances(x, game), { at } = this.of(game), m = (win - loss) / 2;
      const skew = win * (0.5 - m) ** 3 - loss * (0.5 + m) ** 3 - draw * m ** 3;
      let variance = 0;
      for (const [i, a] of at) for (const [j, b] of at) variance += a * b * C[i][j];
      for (const [i, sign] of at) sum[i] += sign * -0.5 * variance * skew;
    }
    return apply(C, sum).map((value, i) => x[i] + Math.max(-0.5 * Math.sqrt(C[i][i]), Math.min(0.5 * Math.sqrt(C[i][i]), value)));
  }

  dispersion(x, C) {
    const pairs = new Map();
    for (const game of this.games) {
      if (!pairs.has(game.pair)) pairs.set(game.pair, { first: game.f, residual: 0, expected: 0, l: new Float64Array(this.players) });
      const pair = pairs.get(game.pair), sign = game.f === pair.first ? 1 : -1;
      const { win, loss } = this.chances(x, game), m = (win - loss) / 2, q = (win + loss) / 4 - m * m;
      pair.residual += sign * (game.y - 0.5 - m);
      pair.expected += q;
      pair.l[game.f] += sign * q;
      pair.l[game.s] -= sign * q;
    }
    let squares = 0, left = 0;
    for (const { residual, expected, l } of pairs.values()) {
      squares += residual ** 2;
      left += expected;
      for (let i = 0; i < this.players; i++) if (l[i]) for (let j = 0; j < this.players; j++) left -= l[i] * C[i][j] * l[j];
    }
    return left > 0 ? squares / left : 1;
  }
}

export function rate(t, repeats, pointsOf) {
  const counted = [...t.results.values()]
    .filter((r) => r.match && !unplayed.includes(r.reason) && !repeats.has(r.fixture.id))
    .filter((r) => r.reason !== "ruled" || r.actions.length > 0)
    .sort((a, b) => (a.fixture.id < b.fixture.id ? -1 : 1));
  const names = t.seeds.filter((name) => counted.some((r) => r.fixture.players.includes(name))), n = names.length;
  if (!n) return new Map();
  const games = counted.map((r) => ({
    f: names.indexOf(r.fixture.players[0]), s: names.indexOf(r.fixture.players[1]),
    kind: t.file.games.indexOf(r.fixture.game), y: pointsOf(r)[0], pair: r.fixture.pair,
  }));
  const model = new Model(games, n, t.file.games.length), sigma = (k) => (60 * 2 ** (k / 2)) / E;
  const fits = [model.fit(sigma(5))];
  for (const side of [[6, 7, 8, 9, 10], [4, 3, 2, 1, 0]])
    for (const k of side) {
      fits.push(model.fit(sigma(k)));
      if (fits.at(-1).evidence < Math.max(...fits.map((fit) => fit.evidence)) - 8) break;
    }
  const top = Math.max(...fits.map((fit) => fit.evidence)), raw = fits.map((fit) => Math.exp(fit.evidence - top));
  const weights = raw.map((value) => value / raw.reduce((a, b) => a + b));
  const M = zeros(n, n).map((row, i) => row.map((_, j) => (i === j ? 1 : 0) - 1 / n));
  const means = fits.map((fit) => apply(M, fit.mean.slice(0, n)));
  const mu = range(n).map((i) => means.reduce((sum, mean, k) => sum + weights[k] * mean[i], 0));
  const phi = Math.max(1, fits.reduce((sum, fit, k) => sum + weights[k] * fit.dispersion, 0));
  const V = zeros(n, n);
  fits.forEach((fit, k) => {
    const inside = times(times(M, fit.C.slice(0, n).map((row) => row.slice(0, n))), M);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) V[i][j] += 1.06 ** 2 * weights[k] * (phi * inside[i][j] + (means[k][i] - mu[i]) * (means[k][j] - mu[j]));
  });
  const zero = (t.file.reference ?? []).map((name) => names.indexOf(name)).find((i) => i >= 0) ?? null;
  const ranked = names.filter((name) => !t.apart.has(name)), ranks = rankRanges(t.began.seed, mu, V, ranked.map((name) => names.indexOf(name)));
  return new Map(names.map((name, i) => {
    const value = mu[i] - (zero === null ? 0 : mu[zero]);
    const variance = zero === null ? V[i][i] : V[i][i] + V[zero][zero] - 2 * V[i][zero];
    const half = 1.959964 * Math.sqrt(Math.max(0, variance)), [first, last] = ranks[ranked.indexOf(name)] ?? [null, null];
    return [name, { elo: E * value, low: E * (value - half), high: E * (value + half), first, last }];
  }));
}

function rankRanges(seed, mu, V, among) {
  const n = mu.length, size = 2000 * n, S = root(V);
  const bytes = createHash("shake256", { outputLength: 8 * size }).update(`${seed}|ranks`).digest();
  const uniform = (j) => (bytes.readUInt32BE(4 * j) + 0.5) / 2 ** 32;
  const found = among.map(() => []);
  for (let r = 0; r < 2000; r++) {
    const z = range(n).map((i) => Math.sqrt(-2 * Math.log(uniform(r * n + i))) * Math.cos(2 * Math.PI * uniform(size + r * n + i)));
    const drawn = apply(S, z).map((value, i) => value + mu[i]);
    among.forEach((i, place) => found[place].push(1 + among.filter((j) => drawn[j] > drawn[i]).length));
  }
  return found.map((all) => {
    all.sort((a, b) => a - b);
    return [all[50], all[1949]];
  });
}
