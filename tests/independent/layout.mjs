// The files of an export against its manifest (RECORDS.md, "An export"; check 1), and the lists of openings.
import { canonical, hex, is, misshapen, parseCanonical } from "./json.mjs";

const OPENINGS = {
  connect4: [150, "0cec794465bb556901ad8207a16bc4b08acec4d1999c4340835bb030b42b8ca0"],
  "connect4-8x8": [300, "1403c33ebd2f085b7179d57cd2bfd809db6986a332cfa9e3a227b5bbbe1f7fbe"],
  desconecta4: [300, "60d065d502b1bb45d69165b15824832ac00d539ffc613f2b92167d9807b6b2be"],
  mancala: [300, "051c4b3fa506231f0528640286dcd80c8931619f9aa92ffe664e62d4e4a9b5b7"],
};
export const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const TABLES = ["schedule.csv", "standings.csv", "crosstable.csv", "grades.csv"];
const names = is.list(is.text), tournaments = is.list((x) => is.text(x) && NAME.test(x));
const MANIFEST = {
  format: is.oneOf(2), server: is.text, server_id: is.nullOr(is.text), exported: is.count, matches: is.count, tournaments, seasons: tournaments,
  left_out: (x) => !misshapen(x, { matches: names, tournaments }), hidden: tournaments,
  files: (x) => is.map(x) && Object.values(x).every((h) => typeof h === "string" && /^[0-9a-f]{64}$/.test(h)),
};

/** A file that is one canonical map and a LF. */
function oneMap(files, name, fault) {
  const bytes = files.get(name);
  if (!bytes) return fault(`${name} is missing`), null;
  if (bytes.at(-1) !== 10) fault(`${name} does not end with LF`);
  try { return parseCanonical(bytes.subarray(0, -1)); } catch (error) { return fault(`${name}: ${error.message}`), null; }
}

export function checkLayout(files, fault, note) {
  const manifest = oneMap(files, "manifest.json", fault);
  if (!manifest) return null;
  if (files.get("manifest.json").length > 4 << 20) fault("manifest.json has more than 4 MiB");
  const bad = misshapen(manifest, MANIFEST);
  if (bad) return fault(`manifest.json ${bad}`), null;
  for (const list of [manifest.tournaments, manifest.seasons, manifest.hidden, manifest.left_out.matches, manifest.left_out.tournaments])
    if (new Set(list).size !== list.length) fault(`manifest.json lists ${list.find((x, i) => list.indexOf(x) !== i)} twice`);
  for (const t of manifest.left_out.tournaments) if (manifest.tournaments.includes(t)) fault(`tournament ${t} is left out and there`);
  for (const t of manifest.hidden) if (!manifest.tournaments.includes(t)) fault(`hidden tournament ${t} is not there`);

  const expected = new Set(["matches.jsonl", "openings.json", "journal.jsonl"]), optional = new Set();
  for (const t of manifest.tournaments) {
    for (const f of ["tournament.toml", "events.jsonl"]) expected.add(`tournaments/${t}/${f}`);
    for (const f of TABLES) optional.add(`tournaments/${t}/${f}`);
  }
  for (const s of manifest.seasons) for (const f of ["season.toml", "standings.csv", "grades.csv"]) expected.add(`seasons/${s}/${f}`);
  for (const name of expected) if (!files.has(name)) fault(`${name} is missing`);
  for (const [name, bytes] of files) {
    if (name === "manifest.json") continue;
    if (!expected.has(name) && !optional.has(name)) fault(`${name} should not be there`);
    if (!Object.hasOwn(manifest.files, name)) fault(`${name} is not in the manifest`);
    else if (hex(bytes) !== manifest.files[name]) fault(`${name} has another SHA-256 than the manifest says`);
    if (name.endsWith("/tournament.toml") && bytes.length > 256 << 10) fault(`${name} has more than 256 KiB`);
  }
  for (const name of Object.keys(manifest.files)) if (!files.has(name)) fault(`${name} of the manifest is missing`);
  if ([...expected].some((name) => !files.has(name))) return null;

  const openings = oneMap(files, "openings.json", fault);
  if (openings) {
    for (const [game, [count, digest]] of Object.entries(OPENINGS))
      if (!Array.isArray(openings[game]) || openings[game].length !== count || hex(canonical(openings[game])) !== digest)
        fault(`openings.json: the list of ${game} is not the published one`);
    for (const game of Object.keys(openings)) if (!OPENINGS[game]) fault(`openings.json: a list for ${game}`);
  }
  for (const m of manifest.left_out.matches) note(`match ${m} is left out`);
  for (const t of manifest.left_out.tournaments) note(`tournament ${t} is left out`);
  for (const t of manifest.hidden) note(`the last round of ${t} is hidden`);
  return manifest;
}
