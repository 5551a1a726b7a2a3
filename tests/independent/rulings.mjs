// What the teacher decided a match counts as (RECORDS.md, "Rulings").
import { is } from "./json.mjs";

export const VERDICTS = ["win", "draw", "void", "stands", "replay"];

/** 1 to 500 printable characters, not only blanks; taken as: nothing of Unicode's categories C and Z but the space. */
export const isReason = (x) => is.text(x) && [...x].length <= 500 && x.trim() !== "" && /^(?: |[^\p{C}\p{Z}])+$/u.test(x);

/** The result by a match's own `ended`. */
export function ownResult({ returns: [a, b], reason, match, plies, actions }) {
  return { reason, walkover: false, winner: a > 0 ? 0 : b > 0 ? 1 : null, match, plies, actions };
}

/** The result that comes in with a verdict, or null. */
function ruledResult(own, verdict, seat) {
  switch (verdict) {
    case "win": return { ...own, reason: "ruled", winner: seat };
    case "draw": return { ...own, reason: "ruled", winner: null };
    case "void": return { ...own, reason: "void", winner: null };
    case "stands": return own;
    case "replay": return null;
  }
}

/** Does no ruling on a later match of the same fixture stand in the way? Matches are in the order in which they began. */
function isLatestRuled(t, match) {
  const { fixture } = t.matches.get(match), ids = [...t.matches.keys()].filter((id) => t.matches.get(id).fixture === fixture);
  return !ids.slice(ids.indexOf(match) + 1).some((id) => t.rulings.some((r) => r.match === id));
}

/** Applies `ruled` to a tournament; throws an Error if it does not fit. */
export function rule(t, e) {
  const { match, verdict, winner } = e, played = t.matches.get(match), say = (what) => `the ruling on ${match} ${what}`;
  t.fits(played?.ended, say("is on no match that ended"));
  const f = played.fixture, before = f.result, seat = f.players.indexOf(winner);
  t.fits(verdict === "win" ? seat >= 0 : winner === "", say("has an impossible winner"));
  t.fits(!f.struck, say("is on one that was struck"));
  t.fits(!f.match, say("comes while its fixture is being played"));
  const isFree = !before || before.match === null;
  t.fits(before?.match === match || (isFree && isLatestRuled(t, match)), say("is not on the match that counts"));
  if (verdict === "replay")
    t.fits(before && !t.isClosed && !f.players.some((n) => t.isOut(n)), say("can't have it played again"));
  t.rulings.push(e);
  t.takeOut([before]);
  const after = ruledResult(ownResult(played.ended), verdict, seat);
  if (after) t.result(f, after);
  else f.voids = 0; // as if none had begun
  const struck = new Set(t.fixtures.filter((each) => each.struck));
  t.settle();
  for (const each of t.fixtures)
    if (each.struck && !struck.has(each)) t.fits(!each.match && !t.isClosed, say("would strike a match that is being played, or in a tournament that was closed"));
}
