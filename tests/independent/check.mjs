// The whole check of an export, as a function: { faults, notes, summary }.
import { readZip } from "./zip.mjs";
import { checkLayout } from "./layout.mjs";
import { checkMatches } from "./matches.mjs";
import { checkTournaments } from "./tournaments.mjs";
import { checkCarried, checkSeasons } from "./seasons.mjs";
import { checkReceipts } from "./receipts.mjs";

export function check(zip, receipts = null) {
  const faults = new Set(), notes = [];
  const fault = (text) => void faults.add(text), note = (text) => void notes.push(text);
  let summary = "";
  try {
    const files = readZip(zip, fault), manifest = checkLayout(files, fault, note);
    if (manifest) {
      const matches = checkMatches(files, manifest, fault);
      const { tables, tournaments } = checkTournaments(files, manifest, matches.byName, fault, note);
      const seasonTables = checkSeasons(files, manifest, tournaments, fault);
      checkCarried(files, manifest, tournaments, fault, note);
      if (receipts) checkReceipts(receipts, manifest, matches.byName, tournaments, fault, note);
      summary = `verified: ${matches.byName.size} matches, ${matches.records} records, ${tables + seasonTables} tables`;
      if (process.env.VERBOSE) notes.push(`${matches.moves} moves`);
    }
  } catch (error) { fault(`not readable: ${process.env.VERBOSE ? error.stack : error.message}`); }
  return { faults: [...faults], notes, summary };
}
