// Perfect matchings of the lowest total cost: by dynamic programming for few names, else by the blossom algorithm.
import { blossom } from "./blossom.mjs";

/** cost(i, j): BigInt, i < j < n, n even. Returns { pairs: [[i, j], ...], total }. */
export function cheapest(n, cost) {
  if (n > 14) return blossom(n, cost);
  const best = Array(1 << n), full = (1 << n) - 1;
  best[full] = { total: 0n, pairs: null };
  const solve = (used) => {
    if (best[used]) return best[used];
    let i = 0, found = null;
    while (used & (1 << i)) i++;
    for (let j = i + 1; j < n; j++) {
      if (used & (1 << j)) continue;
      const rest = solve(used | (1 << i) | (1 << j)), total = rest.total + cost(i, j);
      if (!found || total < found.total) found = { total, pairs: [[i, j], rest.pairs] };
    }
    return (best[used] = found);
  };
  const pairs = [], { total } = solve(0);
  for (let p = solve(0).pairs; p; p = p[1]) pairs.push(p[0]);
  return { pairs, total };
}

/** Tuples of costs as one BigInt, so that sums compare part by part. All parts are whole and at least 0. */
export const pack = (parts) => parts.reduce((sum, p) => (sum << 40n) + BigInt(p), 0n);
