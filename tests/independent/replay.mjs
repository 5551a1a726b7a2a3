// Replaying the records of a match (RECORDS.md, "Replaying a match" and "Why a match ended").
import { recordFault } from "./shapes.mjs";
import { GAMES } from "./games.mjs";

const MS = 1e6, GONE = 600_000 * MS;
const upMs = (ns) => Math.ceil(ns / MS);
const NOT_BEFORE = new Set(["turn", "alarm", "restarted", "voided"]);

class Replay {
  constructor(config, at) {
    this.config = config;
    this.game = GAMES[config.game];
    if (!this.game) throw Error(`the game ${config.game} is not in RULES.md`);
    this.state = this.game.start();
    for (const a of config.opening) {
      if (!this.game.legal(this.state).includes(a)) throw Error("its opening is not legal");
      this.state = this.game.play(this.state, a);
    }
    this.ply = config.opening.length;
    this.phase = "starting";
    const budgets = config.seat_ms ?? [config.move_ms, config.move_ms];
    this.seats = [0, 1].map((k) => ({
      attached: false, ready: false, owed: false, version: "", bank: config.away === "bank" ? config.away_ms * MS : 0, budget: budgets[k] * MS,
    }));
    this.readyBy = at + config.ready_ms * MS;
    this.latest = at;
    this.moves = [];
    this.drops = [0, 0];
    this.result = null;
    this.newClock();
    this.checkOver();
  }

  get mover() { return this.state.mover; }
  get me() { return this.seats[this.mover]; }
  newClock() { Object.assign(this, { spent: 0, since: null, gone: 0, away: false }); }
  left() { const left = this.me.budget - this.spent; return this.away ? Math.min(left, GONE) : left; }
  bankNow() { return this.away ? this.me.bank : 0; }
  charged(t) { return this.since === null ? this.spent : this.spent + Math.max(0, t - this.since - this.bankNow()); }
  beyond(t) {
    return this.since !== null && t > this.since + this.left() + this.config.grace_ms * MS + this.bankNow();
  }
  leave(t) { this.spent = this.charged(t); this.since = t; this.away = true; }
  comeBack(t) {
    const g = Math.max(0, t - this.since);
    this.spent = this.charged(t);
    this.me.bank -= Math.min(this.me.bank, g);
    this.gone += g;
    this.since = null;
    this.away = false;
  }
  connect(seat, t, fresh) {
    const s = this.seats[seat];
    s.attached = true;
    if (this.config.away === "clock") s.bank = 0;
    if (s.owed && fresh && t <= this.readyBy) s.ready = false;
    s.owed = false;
  }

  end(winner, reason, why) {
    this.phase = "finished";
    this.versions = this.seats.map((s) => s.version);
    this.result = { plies: this.ply, returns: winner === null ? [0, 0] : winner === 0 ? [1, -1] : [-1, 1], reason, why };
  }
  checkOver() {
    const name = this.config.players, r = this.state.returns;
    if (r) {
      const winner = r[0] > 0 ? 0 : r[1] > 0 ? 1 : null;
      this.end(winner, "rules", winner === null ? { code: "drawn", ply: this.ply } : { code: "won", winner: name[winner], ply: this.ply });
    } else if (this.ply >= this.config.ply_limit) this.end(null, "ply_limit", { code: "ply_limit", ply_limit: this.config.ply_limit });
  }
  late(record) {
    const player = this.config.players[this.mover], ply = this.ply, limits = { move_ms: this.me.budget / MS, grace_ms: this.config.grace_ms };
    if (this.away) {
      const left_ms = upMs(this.me.bank + Math.max(0, this.left()));
      this.end(1 - this.mover, "disconnect", { code: "stayed_away", player, ply, left_ms });
    } else if (record.type === "acted")
      this.end(1 - this.mover, "timeout", { code: "late", player, took_ms: upMs(this.charged(record.arrived_at)), ply, ...limits });
    else this.end(1 - this.mover, "timeout", { code: "silent", player, ply, ...limits });
  }
  notReady() {
    const [a, b] = this.config.players, ready_ms = this.config.ready_ms, seats = this.seats;
    if (!seats[0].ready && !seats[1].ready) return this.end(null, "not_ready", { code: "neither_ready", player: a, other: b, ready_ms });
    const winner = seats[0].ready ? 0 : 1;
    this.end(winner, "not_ready", { code: "not_ready", player: this.config.players[1 - winner], ready_ms });
  }

  // one method per kind of record; each returns false if the record changes nothing or can't be there
  attached({ seat, at, fresh, version }, record) {
    if (this.phase === "playing" && seat === this.mover && this.away) {
      if (this.beyond(at)) return this.late(record);
      this.comeBack(at);
    } else if (this.seats[seat].attached) return false;
    if (!this.seats[seat].attached) this.seats[seat].version = version;
    this.connect(seat, at, fresh);
  }
  detached({ seat, at }, record) {
    if (!this.seats[seat].attached) return false;
    if (this.phase === "playing" && seat === this.mover) {
      if (this.beyond(at)) return this.late(record);
      this.leave(at);
    }
    this.seats[seat].attached = false;
  }
  ready({ seat, at }) {
    if (this.phase === "starting" && at > this.readyBy) return this.notReady();
    if (this.seats[seat].ready) return false;
    this.seats[seat].ready = true;
    if (this.phase === "starting" && this.seats[1 - seat].ready) {
      this.phase = "playing";
      if (!this.me.attached) this.leave(at);
    }
  }
  turn({ ply, at }) {
    if (this.phase !== "playing" || ply !== this.ply || this.since !== null || !this.me.ready) return false;
    this.since = at;
  }
  acted(record) {
    const { seat, ply, action, arrived_at, at, info } = record, me = this.me;
    if (this.phase !== "playing" || seat !== this.mover || ply !== this.ply || !me.attached || !me.ready) return false;
    if (this.beyond(arrived_at)) return this.late(record);
    if (!this.game.legal(this.state).includes(action)) {
      const player = this.config.players[seat], text = info?.text;
      const none = action === 255 && typeof text === "string" && text.startsWith("answered ");
      return this.end(1 - seat, "illegal", none
        ? { code: "no_action", player, ply, answer: text.slice("answered ".length) } : { code: "illegal", player, ply, action });
    }
    const charged = this.charged(arrived_at);
    this.moves.push({ ply, seat, action, name: this.game.name(action), charged_ms: charged / MS, away_ms: this.gone / MS, info });
    this.state = this.game.play(this.state, action);
    this.ply++;
    this.newClock();
    this.checkOver();
    if (!this.result && !this.me.attached) this.leave(at);
  }
  resigned(record) {
    if (this.phase === "starting" && record.at > this.readyBy) return this.notReady();
    if (this.phase === "playing" && this.beyond(record.at)) return this.late(record);
    this.end(1 - record.seat, "resign", { code: record.crashed ? "crashed" : "resigned", player: this.config.players[record.seat], ply: this.ply });
  }
  alarm(record) {
    if (this.phase === "starting") return record.at > this.readyBy ? this.notReady() : false;
    const waits = this.me.attached && !this.me.ready;
    if (waits && this.since === null && record.at > this.readyBy) this.me.ready = true;
    else if (this.beyond(record.at)) this.late(record);
    else return false;
  }
  restarted({ at }) {
    for (const s of this.seats) { s.attached = false; s.owed = true; }
    this.readyBy = at + this.config.ready_ms * MS;
    if (this.phase === "playing") {
      for (const s of this.seats) s.bank = this.config.away_ms * MS;
      Object.assign(this, { spent: 0, since: at, away: true });
    }
  }
  voided({ why }) {
    const { players, guests } = this.config;
    if (why.player !== undefined && !players.some((name, k) => name === why.player && (why.code !== "name_taken" || guests[k]))) return false;
    if (why.code === "refused" && (this.phase !== "starting" || this.config.tournament !== null)) return false;
    if (why.game !== undefined && why.game !== this.config.game) return false;
    this.end(null, "void", why);
  }

  step(record) {
    if (this.result) throw Error(`a ${record.type} after the end`);
    if (NOT_BEFORE.has(record.type) && record.at < this.latest) throw Error(`the time of a ${record.type} goes back`);
    this.latest = Math.max(this.latest, record.at);
    if (record.type === "detached") this.drops[record.seat]++;
    if (this[record.type](record, record) === false) throw Error(`a ${record.type} that can't be there`);
  }
}

/** Replays records 0, 1, ...; returns the Replay (its `result` is null while the match goes on). Throws an Error on what can't be. */
export function replay(records) {
  let match = null;
  records.forEach((record, seq) => {
    const bad = recordFault(record);
    if (bad) throw Error(`record ${seq}: ${bad}`);
    if ((record.type === "created") !== (seq === 0)) throw Error(`record ${seq}: created is record 0, and only that`);
    try {
      if (seq === 0) match = new Replay(record.config, record.at);
      else match.step(record);
    } catch (error) { throw Error(`record ${seq}: ${error.message}`); }
  });
  return match;
}
