// A player's receipts against an export (RECORDS.md, "Chain and receipt"; check 6).
import { equal, is, misshapen, utf8 } from "./json.mjs";

const RECEIPT = {
  when: (x) => is.text(x) && /[+-]\d\d:\d\d(:\d\d(\.\d+)?)?$|Z$/.test(x) && !Number.isNaN(Date.parse(x)),
  server: is.text, server_id: is.nullOr(is.text), match: is.text, game: is.text, players: is.list(is.text, 2), tournament: is.nullOr(is.text),
  returns: is.list(is.int, 2), reason: is.text, plies: is.count, receipt: (x) => is.text(x) && /^[0-9a-f]{64}$/.test(x),
};

export function checkReceipts(bytes, manifest, matches, tournaments, fault, note) {
  const kept = new Map(), count = { agree: 0, casual: 0, absent: 0, server: 0 };
  utf8(bytes).split("\n").forEach((line, i) => {
    if (!line.trim()) return;
    let r;
    try { r = JSON.parse(line); } catch { return fault(`receipts line ${i + 1} is not JSON`); }
    const bad = misshapen(r, RECEIPT);
    if (bad) return fault(`receipts line ${i + 1} ${bad}`);
    const key = JSON.stringify([r.server_id, r.match]);
    if (kept.has(key) && kept.get(key) !== r.receipt) fault(`receipts: ${r.match} has two different receipts`);
    else if (!kept.has(key)) compare(r);
    kept.set(key, r.receipt);
  });

  function compare(r) {
    if (manifest.server_id === null || r.server_id !== manifest.server_id) return count.server++;
    const match = matches.get(r.match);
    if (match) {
      if (match.receipt !== r.receipt) return fault(`receipts: ${r.match} has another receipt in the export`);
      for (const k of ["game", "players", "tournament", "returns", "reason", "plies"])
        if (!equal(match.map[k], r[k])) note(`receipts: ${r.match}: the receipt agrees, but not ${k}`);
      return count.agree++;
    }
    const t = tournaments.get(r.tournament);
    if (manifest.left_out.matches.includes(r.match)) return note(`receipts: ${r.match} is left out`);
    if (manifest.left_out.tournaments.includes(r.tournament)) return note(`receipts: ${r.match} is of ${r.tournament}, which is left out`);
    if (r.tournament === null) return count.casual++;
    if (!manifest.tournaments.includes(r.tournament)) return count.absent++;
    if (manifest.hidden.includes(r.tournament)) return note(`receipts: ${r.match} can't be compared before ${r.tournament} is revealed`);
    if (t && !t.isOver() && Date.parse(r.when) > manifest.exported) return note(`receipts: ${r.match} ended after the export`);
    fault(`receipts: ${r.match} of ${r.tournament} is not in the export`);
  }
  note(`receipts: ${count.agree} agree`);
  if (count.casual) note(`receipts: ${count.casual} of casual matches that are not there`);
  if (count.absent) note(`receipts: ${count.absent} of tournaments that are not there`);
  if (count.server) note(`receipts: ${count.server} of another server`);
}
