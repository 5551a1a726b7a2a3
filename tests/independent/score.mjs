// Points and tie-breaks (RECORDS.md, "Points" and "The tables").
// A result: { fixture, reason, walkover, winner (0, 1 or null), match, plies, actions, order (in which it came in) }.

const NOTHING = new Set(["void"]);
const neitherReady = (r) => r.reason === "not_ready" && r.winner === null;

/** Who was asked to some match and came to none, judged by these results. */
export function absentees(results) {
  const asked = new Set(), came = new Set();
  for (const r of results) {
    if (r.walkover || r.reason === "void") continue;
    r.fixture.players.forEach((name, seat) => {
      const missed = r.reason === "not_ready" && r.winner !== seat;
      (missed ? asked : came).add(name);
    });
  }
  return new Set([...asked].filter((name) => !came.has(name)));
}

/** What a result is worth to seat 0 and seat 1. */
export function worth(r, absent) {
  if (NOTHING.has(r.reason) || neitherReady(r)) return [0, 0];
  if (r.walkover) return [0, 1].map((seat) => (r.winner === seat && !absent.has(r.fixture.players[seat]) ? 1 : 0));
  return r.winner === null ? [0.5, 0.5] : r.winner === 0 ? [1, 0] : [0, 1];
}

/** Sums over results for some names: name -> { points, wins, draws, losses, against: Map opponent -> { points, matches } }. */
export function tally(names, results, byes = new Map(), byeWorth = 0) {
  const absent = absentees(results);
  const sums = new Map(names.map((n) => [n, { name: n, points: 0, wins: 0, draws: 0, losses: 0, byes: byes.get(n) ?? 0, against: new Map() }]));
  for (const s of sums.values()) if (!absent.has(s.name)) s.points = s.byes * byeWorth;
  for (const r of results) {
    if (r.reason === "void") continue;
    worth(r, absent).forEach((p, seat) => {
      const s = sums.get(r.fixture.players[seat]), other = r.fixture.players[1 - seat];
      s.points += p;
      s[p === 1 ? "wins" : p === 0 ? "losses" : "draws"]++;
      const a = s.against.get(other) ?? { points: 0, matches: 0 };
      a.points += p;
      a.matches++;
      s.against.set(other, a);
    });
  }
  for (const s of sums.values()) {
    s.buchholz = s.sonneborn = s.head = 0;
    for (const [other, a] of s.against) {
      const o = sums.get(other).points;
      s.buchholz += o * a.matches;
      s.sonneborn += o * a.points;
      if (o === s.points) s.head += a.points;
    }
  }
  return sums;
}
