// tournament.toml with its defaults, and who was invited (RECORDS.md, "The file").
import { NAME } from "./layout.mjs";
import { parseToml } from "./toml.mjs";

const DEFAULTS = {
  pairs: 1, swap: true, openings: true, opening_plies: 2, seeding: "draw", who: "all", reference: [], withdraw_after: 3,
  embargo: "none", cycles: 1, tie_breaks: 2, group_size: 4, qualify: 2,
};
const CLOCK = { move_ms: 2000, grace_ms: 100, ready_ms: 30000, away_ms: 10000, away: "bank" };
const BOUNDS = {
  pairs: [1, 50], opening_plies: [0, 8], seed: [0, 2 ** 53], withdraw_after: [0, 100], rounds: [1, 1000], cycles: [1, 50],
  tie_breaks: [0, 10], group_size: [2, 64], qualify: [1, 32],
};
const CLOCK_BOUNDS = { move_ms: [50, 3600000], grace_ms: [0, 10000], ready_ms: [100, 3600000], away_ms: [0, 3600000] };
export const FORMATS = ["round-robin", "gauntlet", "swiss", "elimination", "groups", "ladder"];

export function readSpec(text) {
  const file = parseToml(text), spec = { ...DEFAULTS, ...file, clock: { ...CLOCK, ...file.clock } };
  if (typeof spec.name !== "string" || !Array.isArray(spec.games) || !spec.games.length || !FORMATS.includes(spec.format))
    throw Error("name, games or format is missing or unknown");
  if (!NAME.test(spec.name)) throw Error("its name is impossible");
  for (const [values, bounds] of [[spec, BOUNDS], [spec.clock, CLOCK_BOUNDS]])
    for (const [key, [low, high]] of Object.entries(bounds))
      if (values[key] !== undefined && !(Number.isInteger(values[key]) && values[key] >= low && values[key] <= high)) throw Error(`${key} is out of bounds`);
  const list = (x) => (x === undefined ? [] : Array.isArray(x) ? x : [x]), g = file.grades ?? {};
  spec.grades = {
    maximum: g.maximum ?? 10, base: g.base ?? 0, beats: list(g.beats), rating: list(g.rating),
    reliability: list(g.reliability), participation: list(g.participation), top: list(g.top),
  };
  return spec;
}

/** Groups are compared as NFKC, with case folding (here: to upper and to lower case), each run of blanks as one space. */
const fold = (s) => s.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replace(/\s+/gu, " ");

export function invited(spec, entrant) {
  if (spec.who === "all" || entrant.reference) return true;
  const groups = (spec.who.groups ?? []).map(fold);
  return (spec.who.players ?? []).includes(entrant.name) || groups.includes(fold(entrant.group));
}
