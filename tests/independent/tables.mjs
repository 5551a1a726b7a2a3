// Recomputes every table of every tournament of an export, from protocol/RECORDS.md alone: node tables.mjs EXPORT
// prints one line per table that differs, and how many are right; exit code 1 if one differs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { rate } from "./ratings.mjs";
import { parseToml } from "./toml.mjs";

export function unzip(data) {
  let end = data.length - 22;
  while (data.readUInt32LE(end) !== 0x06054b50) end--;
  const files = new Map();
  for (let n = data.readUInt16LE(end + 10), at = data.readUInt32LE(end + 16); n > 0; n--) {
    const method = data.readUInt16LE(at + 10), size = data.readUInt32LE(at + 20), local = data.readUInt32LE(at + 42);
    const [name, extra, comment] = [28, 30, 32].map((i) => data.readUInt16LE(at + i));
    const begin = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
    const raw = data.subarray(begin, begin + size);
    files.set(data.toString("utf8", at + 46, at + 46 + name), method === 8 ? inflateRawSync(raw) : raw);
    at += 46 + name + extra + comment;
  }
  return files;
}

const sum = (values) => values.reduce((a, b) => a + b, 0);
const range = (n) => [...Array(n).keys()];
const byCodePoints = (a, b) => {
  const [x, y] = [Buffer.from(a), Buffer.from(b)]; // UTF-8 sorts like code points
  return Buffer.compare(x, y);
};

class Tournament {
  constructor(file, began, openings) {
    Object.assign(this, { file, began, openings, fixtures: [], byId: new Map(), results: new Map(), playing: new Map() });
    Object.assign(this, { byes: [], out: new Set(), voids: new Map(), streaks: new Map(), fixed: 0, closed: false, judged: new Map() });
    this.swap = file.swap ?? true;
    this.pairs = file.pairs ?? 1;
    this.size = file.games.length * this.pairs * (this.swap ? 2 : 1);
    this.references = new Set(began.entrants.filter((e) => e.reference).map((e) => e.name));
    const names = began.entrants.map((e) => e.name);
    this.seeds = file.seeding === "roster" ? names : this.shuffled(names, "seeding");
    this.contenders = this.seeds.filter((name) => !this.references.has(name));
    this.bots = this.seeds.filter((name) => this.references.has(name));
    this.apart = ["round-robin", "ladder"].includes(file.format) ? new Set() : this.references;
    this.advance();
  }

  number(label) {
    return BigInt("0x" + createHash("sha256").update(`${this.began.seed}|${label}`).digest("hex"));
  }

  below(bound, label) {
    return Number(this.number(label) % BigInt(bound));
  }

  shuffled(names, label) {
    const drawn = new Map(names.map((name) => [name, this.number(`${label}|${name}`)]));
    return [...names].sort((a, b) => (drawn.get(a) < drawn.get(b) ? -1 : drawn.get(a) > drawn.get(b) ? 1 : byCodePoints(a, b)));
  }

  get round() {
    return this.fixtures.at(-1)?.round ?? 0;
  }

  // The schedule:

  meeting(round, table, players) {
    return this.pairsOf(round, table, players, this.file.games.flatMap((game) => range(this.pairs).map((n) => [game, n + 1])));
  }

  pairsOf(round, table, players, wanted) {
    const swapped = [players[1], players[0]];
    return wanted.flatMap(([game, n], index) => {
      const pair = `${round}-${table}-${game}-${n}`;
      return (this.swap ? [1, 2] : [1]).map((leg) => {
        const first = this.swap ? leg === 1 : index % 2 === 0;
        return { id: `${pair}-${leg}`, round, table, pair, leg, game, players: first ? players : swapped, opening: [] };
      });
    });
  }

  withOpenings(fresh) {
    if (this.file.openings === false) return;
    const before = new Map(), chosen = new Map();
    const meet = (f) => [f.game, ...[...f.players].sort(byCodePoints)].join("|");
    for (const f of this.fixtures) if (f.leg === 1) before.set(meet(f), (before.get(meet(f)) ?? 0) + 1);
    for (const f of fresh) {
      if (!chosen.has(f.pair)) {
        const key = meet(f), list = this.openings[f.game], n = before.get(key) ?? 0;
        chosen.set(f.pair, list[(this.below(list.length, `opening|${key}`) + n) % list.length]);
        before.set(key, n + 1);
      }
      f.opening = chosen.get(f.pair);
    }
  }

  advance() {
    for (;;) {
      if (this.over || this.closed) break;
      const drawn = this.draw();
      if (!drawn) break;
      this.withOpenings(drawn.fixtures);
      this.fixtures.push(...drawn.fixtures);
      for (const f of drawn.fixtures) this.byId.set(f.id, f);
      this.byes.push(...(drawn.byes ?? []));
      this.fixed = this.results.size;
      this.walkOver();
    }
    if (this.playing.size === 0 && (this.closed || this.settled())) this.over = true;
  }

  settled(fixtures = this.fixtures) {
    return fixtures.every((f) => this.results.has(f.id));
  }

  draw() {
    const format = this.file.format;
    if (format === "round-robin") return this.fixtures.length ? null : { fixtures: this.cycles([this.seeds], 0) };
    if (format === "gauntlet") return this.fixtures.length ? null : { fixtures: this.gauntlet(this.file.cycles ?? 1) };
    if (format === "ladder") return this.ladder();
    if (!this.fixtures.length && this.bots.length) return { fixtures: this.gauntlet(1) };
    if (format === "swiss") return this.swiss();
    if (format === "elimination") return this.drawBracket();
    const groups = this.groups(), last = this.lastOfGroups();
    if (this.round <= this.bots.length) return { fixtures: this.cycles(groups, this.bots.length) };
    if (!this.settled(this.fixtures.filter((f) => f.round <= last))) return null;
    return this.qualified().length > 1 ? this.drawBracket() : null;
  }

  berger(players) {
    const n = players.length, m = n + (n % 2), rounds = range(m - 1).map(() => []);
    for (let i = 1; i < m; i++) {
      for (let j = i; j < m; j++) {
        const round = rounds[(i + j - 2) % (m - 1)];
        if (i !== j) round.push((i + j) % 2 ? [i, j] : [j, i]);
        else if (m === n) round.push(2 * i <= m ? [i, m] : [m, i]);
      }
    }
    return rounds.map((pairs) => pairs.map((pair) => pair.map((i) => players[i - 1])));
  }

  cycles(groups, before) {
    const schedules = groups.map((players) => {
      const once = this.berger(players);
      return range(this.file.cycles ?? 1).flatMap((c) => once.map((pairs) => pairs.map(([a, b]) => (c % 2 ? [b, a] : [a, b]))));
    });
    const longest = Math.max(...schedules.map((s) => s.length));
    return range(longest).flatMap((index) =>
      schedules.flatMap((rounds) => rounds[index] ?? []).flatMap((pair, table) => this.meeting(before + index + 1, table + 1, pair)),
    );
  }

  gauntlet(cycles) {
    const n = this.bots.length;
    return range(n * cycles).flatMap((k) =>
      this.contenders.flatMap((player, index) => {
        const table = index + 1, bot = this.bots[(k + table) % n];
        return this.meeting(k + 1, table, (Math.floor(k / n) + table) % 2 ? [player, bot] : [bot, player]);
      }),
    );
  }

  swiss() {
    const count = this.contenders.length;
    const rounds = Math.min(this.file.rounds ?? Math.ceil(Math.log2(count)) + 2, count - 1 + (count % 2));
    const number = this.round + 1;
    if (!this.settled() || number > this.bots.length + rounds) return null;
    const scores = new Scores(this), half = (name) => 2 * scores.points.get(name);
    const players = this.contenders.filter((name) => !this.out.has(name)).sort((a, b) => half(b) - half(a)); // stable
    if (players.length < 2) return null;
    const odd = this.size % 2 === 1, seats = new Map(players.map((name) => [name, 0])), met = new Map();
    const both = (a, b) => [a, b].sort(byCodePoints).join("|");
    for (const f of this.fixtures) met.set(both(...f.players), (met.get(both(...f.players)) ?? 0) + 1);
    for (const r of this.results.values())
      if (r.match) r.fixture.players.forEach((name, seat) => seats.set(name, (seats.get(name) ?? 0) + 1 - 2 * seat));
    const lots = players.map((name) => 1n + (this.number(`swiss|${number}|${name}`) % 16777212n));
    const level = (points) => players.filter((name) => half(name) === points).length;
    const oneWay = (p, q) => {
      const [x, y] = [Math.abs(seats.get(p) + 1), Math.abs(seats.get(q) - 1)];
      return [Math.max(0, x - 2) + Math.max(0, y - 2), x * x + y * y];
    };
    const order = (a, b) => {
      const [p, q] = [players[a], players[b]];
      if (!odd) return [[p, q], [0, 0]];
      const [one, two] = [oneWay(p, q), oneWay(q, p)];
      const lot = (x, y) => this.number(`seats|${number}|${x}|${y}`);
      const less = one[0] - two[0] || one[1] - two[1] || (lot(p, q) < lot(q, p) ? -1 : 1);
      return less < 0 ? [[p, q], one] : [[q, p], two];
    };
    const pairCost = (a, b) => {
      const less = half(players[a]) - half(players[b]), [beyond, uneven] = order(a, b)[1];
      const fold = less ? 0 : Math.abs(b - (a + Math.floor(level(half(players[a])) / 2)));
      return parts(met.get(both(players[a], players[b])) ?? 0, 0, beyond, Math.min(300, less) ** 2, uneven, fold, (lots[a] * lots[b]) % 16777213n);
    };
    const idleCost = (a) => {
      const had = this.byes.filter((bye) => bye.player === players[a]).length;
      return parts(had, Math.min(300, half(players[a]) - half(players.at(-1))), 0, 0, 0, 0, lots[a]);
    };
    const { pairs, idle } = cheapest(players.length, pairCost, idleCost);
    return {
      fixtures: pairs.flatMap(([a, b], index) => this.meeting(number, index + 1, order(a, b)[0])),
      byes: idle === null ? [] : [{ round: number, player: players[idle], points: this.size }],
    };
  }

  ladder() {
    const waiting = new Set(this.fixtures.filter((f) => !this.results.has(f.id)).flatMap((f) => f.players));
    const active = this.seeds.filter((name) => !this.out.has(name));
    let idle = active.filter((name) => !waiting.has(name));
    const busy = active.length - idle.length;
    if (idle.length <= Math.max(1, busy)) return null;
    const meetings = new Map(this.fixtures.map((f) => [`${f.round}-${f.table}`, f.players]));
    const met = new Map(this.seeds.map((name) => [name, 0])), last = new Map();
    for (const players of meetings.values())
      for (const name of players) {
        met.set(name, met.get(name) + 1);
        last.set(name, [...players].sort(byCodePoints).join("|"));
      }
    if (this.file.rounds !== undefined) idle = idle.filter((name) => met.get(name) < this.file.rounds);
    if (idle.length <= Math.max(1, busy)) return null;
    const number = this.round + 1, { ratings, counts } = this.pairingRatings();
    const pairCost = (i, j) => {
      const [a, b] = [idle[i], idle[j]], [x, y] = [counts.get(a), counts.get(b)], d = ratings.get(a) - ratings.get(b);
      const doubt = x + y ? Math.min(1e9, Math.floor((d * d * x * y) / (x + y))) : 0;
      const both = [a, b].sort(byCodePoints).join("|"), again = last.get(a) === both && last.get(b) === both ? 2e9 : 0;
      return parts(0, doubt + again, this.below(2 ** 24, `ladder|${number}|${both}`));
    };
    const most = Math.max(...idle.map((name) => met.get(name)));
    const { pairs } = cheapest(idle.length, pairCost, (i) => parts(most - met.get(idle[i]), 0, i));
    return {
      fixtures: pairs.flatMap(([i, j], index) => {
        const [a, b] = [idle[i], idle[j]];
        return this.meeting(number, index + 1, this.below(2, `seats|${number}|${a}|${b}`) ? [a, b] : [b, a]);
      }),
    };
  }

  pairingRatings() {
    const ratings = new Map(this.seeds.map((name) => [name, 0])), counts = new Map(ratings);
    for (const r of this.results.values()) {
      const [p] = pointsOf(r);
      if (!r.match || sum(pointsOf(r)) === 0) continue;
      const [a, b] = r.fixture.players, d = ratings.get(a) - ratings.get(b);
      const surprise = 1000 * p - (500 + Math.floor((500 * d) / (Math.abs(d) + 400)));
      for (const [name, sign] of [[a, 1], [b, -1]]) {
        const k = 32 + Math.floor(128 / (counts.get(name) + 1));
        ratings.set(name, ratings.get(name) + Math.floor((k * sign * surprise) / 1000));
        counts.set(name, counts.get(name) + 1);
      }
    }
    return { ratings, counts };
  }

  groups() {
    const c = Math.ceil(this.contenders.length / (this.file.group_size ?? 4)), groups = range(c).map(() => []);
    this.contenders.forEach((name, p) => groups[Math.floor(p / c) % 2 ? c - 1 - (p % c) : p % c].push(name));
    return groups;
  }

  lastOfGroups() {
    const longest = Math.max(...this.groups().map((g) => g.length - 1 + (g.length % 2)));
    return this.bots.length + longest * (this.file.cycles ?? 1);
  }

  groupOrders() {
    const last = this.lastOfGroups();
    const stage = [...this.results.values()].filter((r) => r.fixture.round > this.bots.length && r.fixture.round <= last);
    const scores = new Scores(this, stage, []);
    const merit = (n) => [scores.points.get(n), scores.headToHead(n), scores.berger(n), scores.tally(n, 1)];
    return this.groups().map((group) => [...group].sort((a, b) => better(merit(a), merit(b)))); // stable: by seeding
  }

  qualified() {
    if (this.file.format === "elimination") return this.contenders;
    const orders = this.groupOrders();
    return range(this.file.qualify ?? 2).flatMap((place) => orders.filter((o) => place < o.length).map((o) => o[place]));
  }

  bracket() {
    const before = this.file.format === "groups" ? this.lastOfGroups() : this.bots.length;
    if (this.file.format === "groups" && !this.settled(this.fixtures.filter((f) => f.round <= before))) return [];
    const seeds = this.qualified();
    if (this.file.format === "groups" && seeds.length < 2) return [];
    let size = 2;
    while (size < seeds.length) size *= 2;
    let order = [0];
    while (order.length < size) order = order.flatMap((x) => [x, 2 * order.length - 1 - x]);
    let places = order.map((x) => ({ name: seeds[x] ?? null, known: true }));
    const rounds = [];
    for (let round = before + 1; places.length > 1; round++) {
      const ties = range(places.length / 2).map((i) => this.tie(round, i + 1, places[2 * i], places[2 * i + 1], seeds));
      rounds.push(ties);
      places = ties.map((tie) => ({ name: tie.winner, known: tie.winner !== null || tie.empty }));
    }
    return rounds;
  }

  tie(round, table, a, b, seeds) {
    const tie = { round, table, players: [a.name, b.name], winner: null, empty: false, fixtures: [] };
    if (!a.known || !b.known) return tie;
    if (a.name === null || b.name === null) return { ...tie, winner: a.name ?? b.name, empty: a.name === b.name };
    tie.fixtures = this.fixtures.filter((f) => f.round === round && f.table === table);
    tie.extra = new Set(tie.fixtures.map((f) => f.pair)).size - this.file.games.length * this.pairs;
    if (!tie.fixtures.length || !this.settled(tie.fixtures)) return tie;
    const points = new Map([[a.name, 0], [b.name, 0]]);
    for (const f of tie.fixtures) pointsOf(this.results.get(f.id)).forEach((p, s) => points.set(f.players[s], points.get(f.players[s]) + p));
    const ahead = points.get(a.name) - points.get(b.name);
    if (ahead) tie.winner = ahead > 0 ? a.name : b.name;
    else if (tie.extra >= (this.file.tie_breaks ?? 2)) tie.winner = seeds.indexOf(a.name) < seeds.indexOf(b.name) ? a.name : b.name;
    return tie;
  }

  drawBracket() {
    const fresh = this.bracket().flat().flatMap((tie) => {
      const [p, q] = tie.players;
      if (tie.winner !== null || p === null || q === null) return [];
      if (!tie.fixtures.length) return this.meeting(tie.round, tie.table, [p, q]);
      if (!this.settled(tie.fixtures)) return [];
      const game = this.file.games[tie.extra % this.file.games.length];
      return this.pairsOf(tie.round, tie.table, tie.extra % 2 ? [q, p] : [p, q], [[game, this.pairs + 1 + tie.extra]]);
    });
    return fresh.length ? { fixtures: fresh } : null;
  }

  // What happens:

  event(e) {
    if (e.type === "started") this.playing.set(e.fixture, e.match);
    else if (e.type === "ended") this.ended(e);
    else if (e.type === "withdrew") this.withdraw(e.player);
    else if (e.type === "reinstated") this.reinstate(e.player);
    else if (e.type === "closed") this.closed = true;
    else if (e.type === "resumed") this.closed = this.over = false;
    else if (e.type === "ruled") this.rule(e);
    if (e.type !== "started") this.advance();
  }

  ended(e) {
    const fixture = this.byId.get(e.fixture);
    this.playing.delete(e.fixture);
    if (e.reason === "void") {
      this.voids.set(fixture.id, (this.voids.get(fixture.id) ?? 0) + 1);
      if (this.voids.get(fixture.id) < 3) return this.walkOver();
    }
    this.results.set(fixture.id, { ...e, fixture });
    const fault = faultsOf(e), limit = this.file.withdraw_after ?? 3;
    fixture.players.forEach((player, seat) => {
      const absent = fault[seat] && ["disconnect", "not_ready"].includes(e.reason);
      if (e.reason === "void") return;
      this.streaks.set(player, absent ? (this.streaks.get(player) ?? 0) + 1 : 0);
      if (limit && this.streaks.get(player) >= limit && !this.references.has(player) && !this.out.has(player)) this.withdraw(player);
    });
    return undefined;
  }

  rule(e) {
    const own = this.judged.get(e.match) ?? [...this.results.values()].find((r) => r.match === e.match);
    const { fixture } = own, first = e.winner === fixture.players[0];
    this.judged.set(e.match, own);
    this.over = false;
    const index = [...this.results.keys()].indexOf(fixture.id);
    if (index >= 0 && index < this.fixed) this.fixed -= 1;
    this.results.delete(fixture.id);
    if (e.verdict === "stands") this.results.set(fixture.id, own);
    if (e.verdict === "win") this.results.set(fixture.id, { ...own, returns: first ? [1, -1] : [-1, 1], reason: "ruled" });
    if (e.verdict === "draw") this.results.set(fixture.id, { ...own, returns: [0, 0], reason: "ruled" });
    if (e.verdict === "void") this.results.set(fixture.id, { ...own, returns: [0, 0], reason: "void" });
  }

  withdraw(player) {
    this.out.add(player);
    this.walkOver();
  }

  reinstate(player) {
    this.over = false;
    this.out.delete(player);
    this.streaks.set(player, 0);
    [...this.results].forEach(([id, r], index) => {
      const other = r.fixture.players.some((name) => this.out.has(name));
      if (index >= this.fixed && !r.match && r.fixture.players.includes(player) && !other) this.results.delete(id);
    });
  }

  walkOver() {
    for (const fixture of this.fixtures) {
      const gone = fixture.players.map((name) => this.out.has(name));
      if (!gone.includes(true) || this.results.has(fixture.id) || this.playing.has(fixture.id)) continue;
      const hosts = fixture.players.some((name) => this.references.has(name) && this.out.has(name));
      const returns = hosts ? [0, 0] : [gone[1] - gone[0], gone[0] - gone[1]];
      this.results.set(fixture.id, { fixture, returns, reason: hosts ? "void" : "walkover", match: null, actions: [] });
    }
  }

  // The tables:

  counted(results = [...this.results.values()]) {
    const absent = absentIn(results);
    return results.map((r) => {
      const p = pointsOf(r), winner = p[0] === p[1] ? null : r.fixture.players[p[0] > p[1] ? 0 : 1];
      return r.reason === "walkover" && absent.has(winner) ? { ...r, returns: [0, 0] } : r;
    });
  }

  repeats() {
    const seen = new Set(), found = new Set();
    for (const r of this.results.values()) {
      if (!["rules", "ply_limit"].includes(r.reason) || !r.actions.length) continue;
      const key = JSON.stringify([r.fixture.game, r.fixture.players, [...r.fixture.opening, ...r.actions]]);
      if (seen.has(key)) found.add(r.fixture.id);
      seen.add(key);
    }
    return found;
  }

  standings() {
    const scores = new Scores(this), format = this.file.format, survived = new Map();
    for (const tie of this.bracket_()) if (tie.winner !== null) survived.set(tie.winner, (survived.get(tie.winner) ?? 0) + 1);
    const places = new Map(format === "groups" ? this.groupOrders().flatMap((order) => order.map((name, i) => [name, i + 1])) : []);
    const head = ["head to head", (n) => scores.headToHead(n)], berger = ["Sonneborn-Berger", (n) => scores.berger(n)];
    const points = ["points", (n) => scores.points.get(n)], wins = ["wins", (n) => scores.tally(n, 1)];
    const rounds = ["rounds survived", (n) => survived.get(n) ?? 0], place = ["place in the group", (n) => places.get(n) ?? 0];
    const criteria = {
      "round-robin": [points, head, berger, wins],
      gauntlet: [points, head, berger, wins],
      swiss: [points, ["Buchholz", (n) => scores.buchholz(n)], berger, head],
      ladder: [points, ["Buchholz", (n) => scores.buchholz(n)], berger, head],
      elimination: [rounds, points, wins],
      groups: [rounds, place, points, berger],
    }[format];
    const merit = (n) => [this.apart.has(n) ? 0 : 1, ...criteria.map(([label, of]) => (label === place[0] ? -of(n) : of(n)))];
    const order = [...this.seeds].sort((a, b) => better(merit(a), merit(b)) || byCodePoints(a, b));
    const again = this.repeats(), rated = rate(this, again, pointsOf);
    const entrant = new Map(this.began.entrants.map((e) => [e.name, e]));
    const rows = [];
    order.forEach((name, index) => {
      const before = rows.at(-1), level = before && better(merit(before.name), merit(name)) === 0;
      const [won, drawn, lost] = [1, 0.5, 0].map((p) => scores.tally(name, p));
      rows.push({
        name, group: entrant.get(name).group, reference: entrant.get(name).reference, rank: level ? before.rank : index + 1,
        points: scores.points.get(name), figures: criteria.filter(([label]) => label !== "points").map(([label, of]) => [label, of(name)]),
        played: won + drawn + lost, won, drawn, lost, byes: this.byes.filter((bye) => bye.player === name).length,
        repeats: sum([...again].map((id) => Number(this.byId.get(id).players.includes(name)))), rating: rated.get(name) ?? {},
      });
    });
    return { rows, scores };
  }

  bracket_() {
    return ["elimination", "groups"].includes(this.file.format) ? this.bracket().flat() : [];
  }

  tables() {
    const { rows, scores } = this.standings(), results = new Map(this.counted().map((r) => [r.fixture.id, r]));
    const names = rows.map((row) => row.name);
    return {
      "schedule.csv": csv(
        ["fixture", "round", "table", "game", "first", "second", "opening", "score", "reason", "match"],
        this.fixtures.map((f) => {
          const r = results.get(f.id), fixed = [f.id, f.round, f.table, f.game, ...f.players, f.opening.join(" ")];
          return r ? [...fixed, pointsOf(r).map(g).join(":"), r.reason, r.match] : [...fixed, "", "", this.playing.get(f.id) ?? null];
        }),
      ),
      "standings.csv": csv(
        ["rank", "rank low", "rank high", "player", "group", "points", ...rows[0].figures.map(([label]) => label),
          "rating", "rating low", "rating high", "played", "wins", "draws", "losses", "byes", "repeats"],
        rows.map((r) => [r.rank, r.rating.first ?? null, r.rating.last ?? null, r.name, r.group, r.points, ...r.figures.map(([, v]) => v),
          ...[r.rating.elo, r.rating.low, r.rating.high].map(nearest), r.played, r.won, r.drawn, r.lost, r.byes, r.repeats]),
      ),
      "crosstable.csv": csv(
        ["player", ...names],
        names.map((a) => [a, ...names.map((b) => {
          const [points, matches] = (a !== b && scores.against.get(a).get(b)) || [0, 0];
          return matches ? `${g(points)}/${matches}` : null;
        })]),
      ),
      "grades.csv": this.grades(rows),
    };
  }

  grades(all) {
    const rubric = this.file.grades ?? {}, header = ["player", "group", "grade"];
    const { base = 0, maximum = 10, beats = [], rating = [], reliability, participation, top = [] } = rubric;
    if (!(base || beats.length || rating.length || reliability || participation || top.length)) return csv(header, []);
    const rows = all.filter((row) => !row.reference);
    const results = this.counted().filter((r) => r.reason !== "void");
    const lines = rows.map((row) => {
      const mine = results.filter((r) => r.fixture.players.includes(row.name)).map((r) => ({ ...r, seat: r.fixture.players.indexOf(row.name) }));
      const scored = (r) => pointsOf(r)[r.seat], parts = [];
      if (base) parts.push(["base", base, []]);
      for (const rule of beats) {
        const met = mine.filter((r) => r.fixture.players.includes(rule.level) && (rule.game ?? r.fixture.game) === r.fixture.game);
        const points = sum(met.map(scored));
        parts.push([`beats ${rule.level}${rule.game ? ` ${rule.game}` : ""}`, points > met.length / 2 ? rule.points : 0, [["scored", points], ["matches", met.length]]]);
      }
      for (const rule of rating) {
        const low = nearest(row.rating.low);
        parts.push([`rating ${rule.at_least}`, low !== null && low >= rule.at_least ? rule.points : 0, [["low", low]]]);
      }
      if (reliability) {
        const came = mine.filter((r) => r.reason !== "walkover");
        const good = came.filter((r) => !faultsOf(r)[r.seat] && !(r.reason === "resign" && scored(r) === 0)).length;
        parts.push(["reliability", came.length ? reliability.points * (good / came.length) : 0, [["good", good], ["matches", came.length]]]);
      }
      if (participation) {
        const away = (r) => (r.reason === "walkover" ? scored(r) === 0 : r.reason === "not_ready" && faultsOf(r)[r.seat]);
        const asked = mine.filter((r) => r.reason !== "walkover" || away(r)), came = asked.filter((r) => !away(r));
        const share = asked.length ? came.length / asked.length : Number(mine.length > 0);
        parts.push(["participation", participation.points * share, [["came", came.length], ["matches", asked.length]]]);
      }
      const place = 1 + rows.filter((other) => other.rank < row.rank).length;
      for (const rule of top) parts.push([`top ${rule.places}`, place <= rule.places ? rule.points : 0, [["place", place]]]);
      const total = Math.min(maximum, Math.max(0, sum(parts.map(([, points]) => points))));
      return { row, parts, total };
    });
    for (const [rule, , counts] of lines[0]?.parts ?? []) header.push(rule, ...counts.map(([name]) => `${rule} ${name}`));
    return csv(header, lines.map(({ row, parts, total }) =>
      [row.name, row.group, hundredths(total), ...parts.flatMap(([, points, counts]) => [hundredths(points), ...counts.map(([, value]) => value)])]));
  }
}

class Scores {
  constructor(t, results = [...t.results.values()], byes = t.byes) {
    this.points = new Map(t.seeds.map((name) => [name, 0]));
    this.against = new Map(t.seeds.map((name) => [name, new Map()]));
    this.tallies = new Map();
    const absent = absentIn(results);
    for (const bye of byes) if (!absent.has(bye.player)) this.add(bye.player, bye.points);
    for (const r of t.counted(results)) {
      if (r.reason === "void") continue;
      pointsOf(r).forEach((p, seat) => {
        const [name, other] = [r.fixture.players[seat], r.fixture.players[1 - seat]];
        this.add(name, p);
        this.tallies.set(`${p}|${name}`, this.tally(name, p) + 1);
        const [points, matches] = this.against.get(name).get(other) ?? [0, 0];
        this.against.get(name).set(other, [points + p, matches + 1]);
      });
    }
  }

  add(name, points) {
    this.points.set(name, this.points.get(name) + points);
  }

  tally(name, points) {
    return this.tallies.get(`${points}|${name}`) ?? 0;
  }

  buchholz(name) {
    return sum([...this.against.get(name)].map(([other, [, matches]]) => this.points.get(other) * matches));
  }

  berger(name) {
    return sum([...this.against.get(name)].map(([other, [points]]) => this.points.get(other) * points));
  }

  headToHead(name) {
    return sum([...this.against.get(name)].filter(([other]) => this.points.get(other) === this.points.get(name)).map(([, [points]]) => points));
  }
}

function pointsOf({ returns: [a, b], reason }) {
  if (a === b) return ["void", "not_ready", "walkover"].includes(reason) ? [0, 0] : [0.5, 0.5];
  return a > b ? [1, 0] : [0, 1];
}

function faultsOf({ returns: [a, b], reason }) {
  return ["timeout", "illegal", "disconnect", "not_ready"].includes(reason) ? [a <= b, b <= a] : [false, false];
}

function absentIn(results) {
  const came = new Set(), missed = new Set();
  for (const r of results) {
    if (!r.match || r.reason === "void") continue;
    r.fixture.players.forEach((name, seat) => (r.reason === "not_ready" && faultsOf(r)[seat] ? missed : came).add(name));
  }
  return new Set([...missed].filter((name) => !came.has(name)));
}

function better(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return b[i] - a[i];
  return 0;
}

// Costs whose parts outweigh all later ones, as one number.
function parts(...values) {
  return values.reduce((whole, value) => whole * 10n ** 15n + BigInt(value), 0n);
}

// The cheapest matching of 0 .. n-1 by looking at all subsets: fit for the small tournaments of a test.
function cheapest(n, pairCost, idleCost) {
  const costs = new Map(), known = new Map();
  const cost = (a, b) => {
    const key = a * 64 + b;
    if (!costs.has(key)) costs.set(key, b === n ? idleCost(a) : pairCost(a, b));
    return costs.get(key);
  };
  const all = 2 ** (n + (n % 2)) - 1;
  const best = (left) => {
    if (left === 0) return { total: 0n, pairs: [] };
    if (known.has(left)) return known.get(left);
    let a = 0;
    while (!((left >> a) & 1)) a++;
    let found = null;
    for (let b = a + 1; b < n + (n % 2); b++) {
      if (!((left >> b) & 1)) continue;
      const rest = best(left & ~(1 << a) & ~(1 << b)), total = rest.total + cost(a, b);
      if (found === null || total < found.total) found = { total, pairs: [[a, b], ...rest.pairs] };
    }
    known.set(left, found);
    return found;
  };
  const found = best(all).pairs.sort((x, y) => x[0] - y[0]);
  return { pairs: found.filter(([, b]) => b < n), idle: found.find(([, b]) => b === n)?.[0] ?? null };
}

function g(value) {
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) return String(Number(value.toPrecision(6)));
  const [digits, power] = value.toExponential(5).split("e");
  return `${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

function nearest(value) {
  if (value === undefined || value === null) return null;
  const down = Math.floor(value), rest = value - down;
  return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
}

// To the nearest hundredth, ties to even: a tie, such as 1.125, is a number of eighths.
const hundredths = (value) => ((value * 8) % 1 === 0 && (value * 8) % 2 ? nearest(value * 100) / 100 : Number(value.toFixed(2)));

function csv(header, rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : g(value);
    const safe = /^[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

const files = unzip(readFileSync(process.argv[2])), lists = JSON.parse(files.get("openings.json"));
let right = 0, wrong = 0;
for (const name of JSON.parse(files.get("manifest.json")).tournaments) {
  const place = `tournaments/${name}/`;
  const [created, began, ...events] = files.get(`${place}events.jsonl`).toString().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const t = new Tournament(parseToml(files.get(`${place}tournament.toml`).toString()), began, lists);
  const committed = createHash("sha256").update(`${began.seed}|${began.salt}`).digest("hex");
  if (committed !== created.commitment) console.log(`${place}events.jsonl: the seed is not the one committed to`);
  for (const event of events) t.event(event);
  for (const [file, text] of Object.entries(t.tables())) {
    const told = files.get(place + file).toString();
    if (told === text) right++;
    else {
      wrong++;
      const [a, b] = [told.split("\n"), text.split("\n")], line = a.findIndex((one, i) => one !== b[i]);
      console.log(`${place}${file}, line ${line + 1} is ${JSON.stringify(a[line])}, and comes out as ${JSON.stringify(b[line])}`);
    }
  }
}
console.log(`${right} tables are right, ${wrong} are not`);
process.exitCode = wrong ? 1 : 0;
