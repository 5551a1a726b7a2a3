// The course of a tournament: events, what follows from them, results (RECORDS.md, "Events" and "What follows").
import { hex, is, misshapen } from "./json.mjs";
import { Draw } from "./draw.mjs";
import { makeFormat } from "./formats.mjs";
import { VERDICTS, isReason, ownResult, rule } from "./rulings.mjs";
import { tally } from "./score.mjs";
import { invited } from "./spec.mjs";

const text = { type: is.text, at_ms: is.count };
const digest = (x) => is.text(x) && /^[0-9a-f]{64}$/.test(x);
const entrant = (x) => !misshapen(x, { name: is.text, group: is.text, reference: is.bool });
const time = (x) => is.text(x) && /^([01]\d|2[0-3]):[0-5]\d$/.test(x);
const REASONS = ["rules", "ply_limit", "timeout", "disconnect", "not_ready", "resign", "illegal", "void"];
const CARRIED = {
  season: is.text, tournaments: (x) => is.list((one) => !misshapen(one, { name: is.text, events: is.count }))(x) && x.length > 0,
  ratings: (x) => is.map(x) && Object.values(x).every(is.int),
};
const EVENTS = {
  created: { ...text, file: digest, commitment: digest },
  began: { ...text, entrants: is.list(entrant), seed: is.count, salt: is.text, carried: is.nullOr((x) => !misshapen(x, CARRIED)) },
  started: { ...text, fixture: is.text, match: is.text },
  ended: {
    ...text, fixture: is.text, match: is.text, returns: is.list(is.int, 2), reason: is.oneOf(...REASONS), plies: is.count,
    actions: is.list(is.count), charged_ms: is.list(is.count), drops: is.list(is.count, 2),
  },
  joined: { ...text, player: is.text, group: is.text },
  withdrew: { ...text, player: is.text }, reinstated: { ...text, player: is.text },
  paused: {
    ...text, why: (x) => is.map(x) && (x.code === "host" ? !misshapen(x, { code: is.text })
      : x.code === "break" && !misshapen(x, { code: is.text, begin: time, end: time })),
  },
  resumed: text, revealed: text, closed: { ...text, counts_all: is.bool },
  ruled: { ...text, match: is.text, verdict: is.oneOf(...VERDICTS), winner: is.text, why: isReason },
};
const ABSENT = new Set(["disconnect", "not_ready"]);

export class Tournament {
  constructor(spec, file, lists) {
    Object.assign(this, { spec, file, lists, entrants: null, events: 0, latest: -Infinity, results: [], matches: new Map() });
    Object.assign(this, { out: new Set(), streaks: new Map(), isPaused: false, isClosed: false, isRevealed: false });
    Object.assign(this, { rulings: [], cameIn: 0, drawnAt: 0 }); // results are counted as they come in, also those taken out again
  }
  get names() { return this.entrants.map((e) => e.name); }
  get fixtures() { return this.chance?.fixtures ?? []; }
  isOut(name) { return this.out.has(name); }
  isReference(name) { return this.references.includes(name); }
  isOver() {
    if (!this.entrants) return false;
    return this.isClosed ? this.fixtures.every((f) => !f.match) : this.fixtures.every((f) => f.result);
  }
  /** From the first match of the last round until `revealed` ("An export"). */
  isHiding() {
    if (this.spec.embargo !== "last-round" || this.isRevealed) return false;
    return [...this.matches.values()].some(({ fixture }) => fixture.round >= (this.format.last ?? Infinity));
  }
  tally() {
    return tally(this.names, this.results, this.format.byes?.(this.firstUncounted()) ?? new Map(), this.chance.matchesPerMeeting());
  }

  /** Applies an event; throws an Error if it does not fit. */
  apply(e) {
    if (!is.map(e) || !Object.hasOwn(EVENTS, e.type)) throw Error("is of no known type");
    const bad = misshapen(e, EVENTS[e.type]);
    if (bad) throw Error(`${e.type} ${bad}`);
    if (e.at_ms < this.latest) throw Error("goes back in time");
    this.latest = e.at_ms;
    const first = ["created", "began"][this.events++];
    if (first ? e.type !== first : e.type === "created" || e.type === "began") throw Error(`${e.type} out of place`);
    this[e.type](e);
    if (!this.entrants) return;
    if (this.fixtures.some((f) => f.struck)) this.settle();
    this.follow();
    if (this.isOver()) this.isPaused = false;
  }
  fits(condition, what) { if (!condition) throw Error(what); }

  created(e) {
    this.commitment = e.commitment;
    this.fits(e.file === hex(this.file), "created names another tournament.toml");
  }
  began({ entrants, seed, salt, carried }) {
    const { spec } = this, names = entrants.map((e) => e.name);
    this.fits(hex(`${seed}|${salt}`) === this.commitment, "the seed is not the one committed to");
    this.fits(spec.seed === undefined ? seed < 2 ** 53 : seed === spec.seed, "the seed is not that of the file");
    this.fits(new Set(names).size === names.length, "an entrant is there twice");
    for (const e of entrants) {
      this.fits(e.reference === spec.reference.includes(e.name), `${e.name}: reference is not what the file says`);
      this.fits(invited(spec, e), `${e.name} was not invited`);
    }
    const firstBot = entrants.findIndex((e) => e.reference);
    this.fits(firstBot < 0 || entrants.slice(firstBot).every((e) => e.reference), "the reference bots do not come last");
    this.entrants = entrants;
    this.began = names;
    this.chance = new Draw(spec, seed, entrants, this.lists, carried);
    this.carried = carried;
    const bots = new Set(entrants.filter((e) => e.reference).map((e) => e.name));
    this.references = this.chance.seeding.filter((n) => bots.has(n));
    this.contenders = this.chance.seeding.filter((n) => !bots.has(n));
    this.format = makeFormat(this);
  }
  started({ fixture, match }) {
    const f = this.chance.byId.get(fixture);
    this.fits(!this.isOver(), "started when it is over");
    this.fits(f, `fixture ${fixture} was not drawn`);
    this.fits(!f.result && !f.match, `fixture ${fixture} has a result or is being played`);
    this.fits(!this.matches.has(match), `match ${match} is started twice`);
    this.fits(!this.isPaused, "started while it is paused");
    f.match = match;
    this.matches.set(match, { fixture: f, ended: null });
  }
  ended(e) {
    const f = this.chance.byId.get(e.fixture);
    this.fits(f && f.match === e.match, `match ${e.match} is not being played`);
    f.match = null;
    this.matches.get(e.match).ended = e;
    if (e.reason === "void" && ++f.voids < 3) return;
    const own = ownResult(e);
    this.result(f, own);
    if (e.reason !== "void") f.players.forEach((name, seat) => this.streak(name, seat, e.reason, own.winner));
  }
  /** Out is who was absent from withdraw_after matches in a row. */
  streak(name, seat, reason, winner) {
    const lost = ABSENT.has(reason) && winner !== seat, n = lost ? (this.streaks.get(name) ?? 0) + 1 : 0;
    this.streaks.set(name, n);
    if (this.spec.withdraw_after && n >= this.spec.withdraw_after && !this.isReference(name)) this.out.add(name);
  }
  joined({ player, group }) {
    this.fits(!this.isOver() && !this.isClosed && !this.isHiding(), "joined when it is over, or hides something");
    this.fits(!this.names.includes(player), `${player} is in already`);
    this.entrants.push({ name: player, group, reference: false });
    this.chance.place.set(player, this.chance.seeding.push(player) - 1);
    this.contenders.push(player);
    this.fits(this.format.join?.(player), `${player} comes too late`);
  }
  withdrew({ player }) {
    this.fits(!this.isOver(), "withdrew when it is over");
    this.fits(this.names.includes(player) && !this.isOut(player), `${player} is not in`);
    this.out.add(player);
  }
  reinstated({ player }) {
    this.fits(this.isOut(player), `${player} is not out`);
    this.fits(!this.isOver() || (!this.isClosed && !this.isHiding()), "reinstated after it was closed, or while it hides something");
    this.out.delete(player);
    this.streaks.set(player, 0);
    this.takeOut(this.results.filter((r) => r.walkover && !r.fixture.struck && r.order >= this.drawnAt
      && r.fixture.players.includes(player) && r.fixture.players.every((n) => !this.isOut(n))));
  }
  paused() { this.fits(!this.isPaused && !this.isOver(), "paused does not fit"); this.isPaused = true; }
  resumed() {
    this.fits(this.isClosed || (this.isPaused && !this.isOver()), "resumed does not fit");
    this.isPaused = this.isClosed = false;
  }
  revealed() { this.fits(!this.isRevealed && this.spec.embargo === "last-round", "revealed does not fit"); this.isRevealed = true; }
  closed(e) { this.fits(!this.isClosed && !this.isOver(), "closed does not fit"); this.isClosed = true; this.countsAll = e.counts_all; }
  /** The first round that is too incomplete to count. */
  firstUncounted() {
    if (!this.isClosed || this.countsAll || this.spec.format === "ladder") return Infinity;
    return Math.min(...this.fixtures.filter((f) => !f.result).map((f) => f.round));
  }
  /** Has a table made from what counts alone. */
  counting(make) {
    const { results } = this, first = this.firstUncounted();
    if (first === Infinity) return make();
    const open = results.filter((r) => r.fixture.round >= first), had = open.map((r) => r.fixture.result);
    this.results = results.filter((r) => r.fixture.round < first);
    const struck = open.map((r) => r.fixture.struck);
    for (const r of open) r.fixture.result = r.fixture.struck = null;
    try { return make(); } finally { open.forEach((r, k) => { r.fixture.result = had[k]; r.fixture.struck = struck[k]; }); this.results = results; }
  }

  ruled(e) { rule(this, e); }

  /** Walkovers and strikes in turns, until nothing changes. */
  settle() {
    do this.walkOver(); while (this.strike());
  }
  /** Strikes what was drawn for others than who plays there now, and gives back what is theirs again; did anything change? */
  strike() {
    const wrong = new Set(this.format.misplaced?.() ?? []), none = { walkover: false, match: null, plies: 0, actions: [] };
    const fresh = this.fixtures.filter((f) => wrong.has(f) && !f.struck), back = this.fixtures.filter((f) => !wrong.has(f) && f.struck);
    for (const f of fresh) f.struck = { own: f.result };
    this.takeOut(fresh.map((f) => f.result));
    for (const f of fresh) this.result(f, { ...none, ...f.struck.own, reason: "void", winner: null });
    this.takeOut(back.map((f) => f.result));
    for (const f of back) {
      if (f.struck.own) this.result(f, f.struck.own);
      f.struck = null;
    }
    if (back.length) this.drawnAt = this.cameIn;
    return fresh.length + back.length > 0;
  }
  result(fixture, r) {
    fixture.result = { ...r, fixture, order: this.cameIn++ };
    this.results.push(fixture.result);
  }
  takeOut(results) {
    for (const r of results) if (r) r.fixture.result = null;
    this.results = this.results.filter((r) => !results.includes(r));
  }
  /** Decides what belongs to players who are out, then draws, each drawing followed by the same. */
  follow() {
    this.walkOver();
    while (!this.isClosed && this.format.draw()) {
      this.drawnAt = this.cameIn;
      if (this.fixtures.some((f) => f.struck)) this.settle();
      else this.walkOver();
    }
  }
  walkOver() {
    for (const f of this.fixtures) {
      if (f.result || f.match) continue;
      const gone = f.players.map((n) => this.isOut(n));
      if (!gone[0] && !gone[1]) continue;
      const isVoid = f.players.some((n, k) => gone[k] && this.isReference(n));
      const winner = gone[0] && gone[1] ? null : gone[0] ? 1 : 0;
      this.result(f, { reason: isVoid ? "void" : "walkover", walkover: true, winner: isVoid ? null : winner, match: null, plies: 0, actions: [] });
    }
  }
}
