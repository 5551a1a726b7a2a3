// The fields of each record, of config, of why, of info (RECORDS.md, "The records of a match", "Why a match ended"; PROTOCOL.md, "action").
import { is, misshapen } from "./json.mjs";

const ms = is.count, at = is.int;
const INFO = {
  depth: is.nullOr((x) => is.count(x) && x <= 10000),
  nodes: is.nullOr((x) => is.count(x) && x <= 2 ** 53),
  value: is.nullOr((x) => typeof x === "number"), // the samples go beyond the 1e12 of PROTOCOL.md
  pv: is.nullOr((x) => is.list(is.count)(x) && x.length <= 64 && x.every((a) => a <= 255)),
  text: is.nullOr((x) => is.text(x) && [...x].length <= 200),
};
const info = is.nullOr((x) => is.map(x) && Object.keys(x).every((k) => Object.hasOwn(INFO, k) && INFO[k](x[k])));

export const CONFIG = {
  match: (x) => is.text(x) && x !== "", game: is.text, players: is.list(is.text, 2),
  move_ms: ms, grace_ms: ms, ready_ms: ms, away_ms: ms, ply_limit: is.count,
  seat_ms: is.nullOr(is.list(ms, 2)), away: is.oneOf("bank", "clock"), opening: is.list(is.count),
  tournament: is.nullOr(is.text), fixture: is.nullOr(is.text), rated: is.bool, guests: is.list(is.bool, 2),
};
const VOID = {
  refused: { code: is.text, player: is.text }, name_taken: { code: is.text, player: is.text },
  house_late: { code: is.text, player: is.text }, failed: { code: is.text, game: is.text, error: is.text },
};
const voidWhy = (x) => is.map(x) && Object.hasOwn(VOID, x.code) && !misshapen(x, VOID[x.code]);

const seatAt = { type: is.text, seat: is.seat, at };
const RECORDS = {
  created: { type: is.text, config: is.map, at: (x) => x === 0 },
  attached: { ...seatAt, fresh: is.bool, version: is.text }, detached: seatAt, ready: seatAt, resigned: { ...seatAt, crashed: is.bool },
  turn: { type: is.text, ply: is.count, at },
  acted: {
    ...seatAt, ply: is.count, action: (x) => is.count(x) && x <= 255, arrived_at: is.count,
    stamp: is.oneOf("read", "stall", "poll"), info,
  },
  alarm: { type: is.text, at }, restarted: { type: is.text, at }, voided: { type: is.text, why: voidWhy, at },
};

/** What is wrong with the fields of a record, or null. */
export function recordFault(r) {
  if (!is.map(r) || !Object.hasOwn(RECORDS, r.type)) return "is of no known type";
  const bad = misshapen(r, RECORDS[r.type]);
  if (bad) return `${r.type} ${bad}`;
  if (r.type === "acted" && r.arrived_at > r.at) return "acted arrived after it was read";
  if (r.type === "created") {
    const c = misshapen(r.config, CONFIG);
    if (c) return `config ${c}`;
    if ((r.config.tournament === null) !== (r.config.fixture === null)) return "config has a tournament without a fixture or the reverse";
  }
  return null;
}

/** The fields of a map of matches.jsonl ("An export"). */
export const MATCH = {
  match: is.text, game: is.text, players: is.list(is.text, 2), versions: is.list(is.text, 2), opening: is.list(is.count), tournament: is.nullOr(is.text),
  rated: is.bool, fixture: is.nullOr(is.text), round: is.nullOr(is.count), pair: is.nullOr(is.text), moves: is.list(is.map),
  plies: is.count, returns: is.list(is.int, 2), reason: is.text, why: is.map, started: is.count, ended: is.count, receipt: is.text,
};
