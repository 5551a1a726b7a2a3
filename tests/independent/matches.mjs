// matches.jsonl and journal.jsonl: records, chain, receipts, and what the replay gives (RECORDS.md, "An export", checks 2 and 3).
import { canonical, equal, lines, misshapen, parseCanonical, sha } from "./json.mjs";
import { MATCH } from "./shapes.mjs";
import { replay } from "./replay.mjs";

function parsed(bytes, name, fault) {
  return lines(bytes, name, fault).flatMap((line, i) => {
    try { return [{ line, map: parseCanonical(line) }]; } catch (error) { fault(`${name} line ${i + 1}: ${error.message}`); return []; }
  });
}

/** Returns { byName: Map match -> { map, records, replay, receipt }, moves, records }. */
export function checkMatches(files, manifest, fault) {
  const byName = new Map();
  for (const { map } of parsed(files.get("matches.jsonl"), "matches.jsonl", fault)) {
    const bad = misshapen(map, MATCH);
    if (bad) { fault(`matches.jsonl: ${map.match}: ${bad}`); if (typeof map.match !== "string") continue; }
    if (byName.has(map.match)) fault(`${map.match} is twice in matches.jsonl`);
    else byName.set(map.match, { map, records: [], bytes: 0, replay: null, receipt: null });
  }
  for (const [name, { map }] of byName) if (map.ended > manifest.exported) fault(`${name} ended after the export`);
  for (const name of manifest.left_out.matches) if (byName.has(name)) fault(`${name} is left out and there`);
  if (manifest.matches !== byName.size) fault(`the manifest says ${manifest.matches} matches, there are ${byName.size}`);

  let count = 0, current = null;
  const order = [...byName.keys()];
  let place = -1;
  for (const { map } of parsed(files.get("journal.jsonl"), "journal.jsonl", fault)) {
    count++;
    const bad = misshapen(map, { match: (x) => byName.has(x), seq: Number.isInteger, record: (x) => x !== null && typeof x === "object" });
    if (bad) { fault(`journal.jsonl: record ${count - 1} (${map.match}) ${bad}`); continue; }
    if (map.match !== current) {
      const next = order.indexOf(map.match);
      if (next !== place + 1) fault(`journal.jsonl: ${map.match} is out of the order of matches.jsonl`);
      place = next;
      current = map.match;
    }
    const match = byName.get(map.match), raw = Buffer.from(canonical(map.record));
    if (map.seq !== match.records.length) fault(`${map.match}: record ${match.records.length} has the number ${map.seq}`);
    match.records.push(map.record);
    match.bytes += raw.length;
    match.chain = match.chain ? sha(match.chain, raw) : sha(raw);
  }
  let moves = 0;
  for (const [name, match] of byName) moves += checkMatch(name, match, fault);
  return { byName, moves, records: count };
}

/** The fields of matches.jsonl that come from the tournament (fixture, round, pair) are compared in checkPlaces. */
function checkMatch(name, match, fault) {
  const { map, records } = match;
  if (!records.length) return fault(`${name} has no records`), 0;
  if (match.bytes > 32 << 20) fault(`${name} has more than 32 MiB of records`);
  match.receipt = match.chain.toString("hex");
  if (map.receipt !== match.receipt) fault(`${name}: the receipt is not the end of the chain`);
  try { match.replay = replay(records); } catch (error) { return fault(`${name}: ${error.message}`), 0; }
  const { config, result, moves } = match.replay;
  if (config.match !== name) fault(`${name}: its config names ${config.match}`);
  if (!result) return fault(`${name}: its records do not end the match`), 0;
  const expected = {
    game: config.game, players: config.players, versions: match.replay.versions, opening: config.opening, tournament: config.tournament, rated: config.rated,
    moves, plies: result.plies, returns: result.returns, reason: result.reason, why: result.why,
  };
  for (const [k, v] of Object.entries(expected))
    if (map[k] !== undefined && !equal(map[k], v)) fault(`${name}: ${k} is not what the records give`);
  if (map.ended < map.started) fault(`${name} ended before it started`);
  return moves.length;
}
