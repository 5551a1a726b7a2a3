// tournament.toml with its defaults, and who was invited (RECORDS.md, "The file").
import { parseToml } from "./toml.mjs";

const DEFAULTS = {
  pairs: 1, swap: true, openings: true, opening_plies: 2, seeding: "draw", who: "all", reference: [], withdraw_after: 3,
  embargo: "none", cycles: 1, tie_breaks: 2, group_size: 4, qualify: 2,
};
const CLOCK = { move_ms: 2000, grace_ms: 100, ready_ms: 30000, away_ms: 10000, away: "bank" };
export const FORMATS = ["round-robin", "gauntlet", "swiss", "elimination", "groups", "ladder"];

export function readSpec(text) {
  const file = parseToml(text), spec = { ...DEFAULTS, ...file, clock: { ...CLOCK, ...file.clock } };
  if (typeof spec.name !== "string" || !Array.isArray(spec.games) || !spec.games.length || !FORMATS.includes(spec.format))
    throw Error("name, games or format is missing or unknown");
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
