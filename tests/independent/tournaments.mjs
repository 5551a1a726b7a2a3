// All tournaments of an export against its matches and tables (RECORDS.md, "What a verifier checks", 4 and 5).
import { equal, lines, parseCanonical, utf8 } from "./json.mjs";
import { readSpec } from "./spec.mjs";
import { Tournament } from "./tournament.mjs";
import { makeTables, scheduleTable } from "./tables.mjs";
import { gradesTable } from "./grades.mjs";
import { TABLES } from "./layout.mjs";

/** Returns { tables: how many were recomputed, tournaments: Map name -> Tournament }. */
export function checkTournaments(files, manifest, matches, fault, note) {
  const tournaments = new Map(), broken = new Set(); // after an event that does not fit, nothing more can be said of its matches
  let tables = 0;
  for (const name of manifest.tournaments) {
    const say = (text) => fault(`tournament ${name}: ${text}`);
    try {
      const t = course(files, name, say);
      tournaments.set(name, t);
      if (manifest.hidden.includes(name)) checkHidden(t, say);
      for (const r of t.rulings) note(`tournament ${name}: ${r.match} was ruled ${r.verdict}${r.winner && ` for ${r.winner}`}: ${r.why}`);
      checkEnded(t, name, matches, manifest, say, (text) => note(`tournament ${name}: ${text}`));
      if (t.latest > manifest.exported) say("has an event after the export");
      checkOrder(t, matches, say);
      tables += checkTables(files, name, t, say);
    } catch (error) { broken.add(name); say(process.env.VERBOSE ? error.stack : error.message); }
  }
  for (const [id, match] of matches) if (!broken.has(match.map.tournament)) checkPlace(id, match, tournaments, manifest, fault);
  return { tables, tournaments };
}

/** The tournament after its first `events` events. */
export function course(files, name, say, events = Infinity) {
  const toml = files.get(`tournaments/${name}/tournament.toml`), spec = readSpec(utf8(toml));
  if (spec.name !== name) say(`its file names it ${spec.name}`);
  const t = new Tournament(spec, toml, JSON.parse(utf8(files.get("openings.json"))));
  const list = lines(files.get(`tournaments/${name}/events.jsonl`), "events.jsonl", say);
  if (events !== Infinity && list.length < events) say("has fewer events than were carried over");
  list.slice(0, events).forEach((line, i) => {
    try { t.apply(parseCanonical(line)); } catch (error) { throw Error(`event ${i}: ${error.message}`); }
  });
  if (!list.length) say("it has no events");
  return t;
}

/** While a round is hidden nothing of it has started, and it was not revealed ("An export"). */
function checkHidden(t, say) {
  if (t.spec.embargo !== "last-round") say("is hidden without an embargo");
  if (t.isRevealed) say("is hidden and revealed");
  for (const [id, { fixture }] of t.matches) if (fixture.round >= (t.format?.last ?? Infinity)) say(`match ${id} of the hidden round is there`);
}

/** The matches of a tournament are in the order of their `started`. */
function checkOrder(t, matches, say) {
  const started = [...t.matches.keys()].filter((id) => matches.has(id)), there = [...matches.keys()].filter((id) => t.matches.has(id));
  const i = started.findIndex((id, k) => id !== there[k]);
  if (i >= 0) say(`match ${there[i]} comes before ${started[i]}`);
}

/** Every `ended` says what the records of its match say. */
function checkEnded(t, name, matches, manifest, say, note) {
  for (const [id, { fixture, ended }] of t.matches) {
    const match = matches.get(id);
    if (!match) {
      if (manifest.left_out.matches.includes(id)) note(`match ${id} is left out`);
      else if (ended && ended.reason === "void" && ended.plies === 0 && equal(ended.drops, [0, 0])) {
        note(`match ${id} could not go on and is not there`);
        if (ended.actions.length || ended.charged_ms.length || !equal(ended.returns, [0, 0])) say(`match ${id} is void without records, but has a result`);
      } else if (ended) say(`match ${id} of ${fixture.id} is not there`);
      continue;
    }
    if (!match.replay) continue;
    const { config, result, moves, drops } = match.replay;
    if (!ended) { if (t.isOver()) say(`match ${id} has not ended, but the tournament is over`); }
    else if (result) {
      const expected = {
        returns: result.returns, reason: result.reason, plies: result.plies, drops,
        actions: moves.map((m) => m.action), charged_ms: moves.map((m) => Math.ceil(m.charged_ms)),
      };
      if (result.why.code === "house_late" && !t.isReference(result.why.player)) say(`match ${id} waited for a bot of the server that is none`);
      for (const [k, v] of Object.entries(expected)) if (!equal(ended[k], v)) say(`${k} of ${id} in its events is not what the records give`);
    }
    const { move_ms, grace_ms, ready_ms, away_ms, away } = t.spec.clock;
    const wanted = {
      game: fixture.game, players: fixture.players, opening: fixture.opening, tournament: name, fixture: fixture.id,
      move_ms, grace_ms, ready_ms, away_ms, away, seat_ms: null, rated: true, guests: [false, false],
    };
    for (const [k, v] of Object.entries(wanted)) if (!equal(config[k], v)) say(`match ${id} has another ${k} than ${fixture.id}`);
  }
}

/** The fixture, round and pair of a match of matches.jsonl, and that its tournament began it. */
function checkPlace(id, { map, replay }, tournaments, manifest, fault) {
  const name = replay ? replay.config.tournament : map.tournament;
  const t = name === null ? undefined : tournaments.get(name), place = t?.matches.get(id);
  const expected = place ? [place.fixture.id, place.fixture.round, place.fixture.pair] : [null, null, null];
  if (name !== null && manifest.tournaments.includes(name) && !place) fault(`${id} claims to be of ${name}, which did not begin it`);
  if (!equal([map.fixture, map.round, map.pair], expected)) fault(`${id}: fixture, round or pair is not that of its tournament`);
}

function checkTables(files, name, t, say) {
  const file = (table) => files.get(`tournaments/${name}/${table}`);
  if (!t.entrants) {
    for (const table of TABLES) if (file(table)) say(`${table} is there, but it has not begun`);
    return 0;
  }
  const tables = t.counting(() => {
    const made = makeTables(t);
    return { ...made.tables, "grades.csv": gradesTable(t, made.rows, made.ratings) };
  });
  tables["schedule.csv"] = scheduleTable(t);
  for (const table of TABLES) {
    const actual = file(table);
    if (!actual) { say(`${table} is missing`); continue; }
    if (Buffer.from(tables[table]).equals(actual)) continue;
    const mine = tables[table].split("\n"), theirs = actual.toString("utf8").split("\n"), i = mine.findIndex((line, k) => line !== theirs[k]);
    const at = i < 0 ? mine.length : i;
    say(`${table} line ${at + 1} should be ${JSON.stringify(mine[at])}, is ${JSON.stringify(theirs[at])}`);
  }
  return TABLES.length;
}

