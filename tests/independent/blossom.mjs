// Maximum weight matching in a general graph (Edmonds; the O(n³) formulation with dual variables), used for the
// cheapest perfect matching of a complete graph: weight = 2 * (a number above every possible total - cost).

export function blossom(count, cost) {
  let ceiling = 0n;
  const costs = new Map();
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      const c = cost(i, j);
      costs.set(i * count + j, c);
      if (c > ceiling) ceiling = c;
    }
  ceiling = ceiling * BigInt(count) + 1n;
  const n = count, size = 2 * n + 2;
  let top = n; // vertices 1..n, blossoms n+1..top; 0 is nobody
  const edge = Array.from({ length: size }, (_, u) => Array.from({ length: size }, (_, v) => [u, v, 0n]));
  for (const [k, c] of costs) {
    const u = Math.floor(k / n) + 1, v = (k % n) + 1;
    edge[u][v][2] = edge[v][u][2] = 2n * (ceiling - c);
  }
  const label = Array(size).fill(0n), mate = Array(size).fill(0), slack = Array(size).fill(0), root = Array(size).fill(0);
  const parent = Array(size).fill(0), colour = Array(size).fill(-1), seen = Array(size).fill(0), flower = Array.from({ length: size }, () => []);
  const from = Array.from({ length: size }, () => Array(size).fill(0));
  let queue = [], clock = 0;
  const gap = ([u, v]) => label[u] + label[v] - edge[u][v][2];

  const update = (u, x) => { if (!slack[x] || gap(edge[u][x]) < gap(edge[slack[x]][x])) slack[x] = u; };
  const setSlack = (x) => {
    slack[x] = 0;
    for (let u = 1; u <= n; u++) if (edge[u][x][2] > 0n && root[u] !== x && colour[root[u]] === 0) update(u, x);
  };
  const push = (x) => { if (x <= n) queue.push(x); else flower[x].forEach(push); };
  const setRoot = (x, b) => { root[x] = b; if (x > n) flower[x].forEach((y) => setRoot(y, b)); };
  const turn = (b, x) => { // the even way around blossom b to x
    const at = flower[b].indexOf(x);
    if (at % 2 === 0) return at;
    flower[b] = [flower[b][0], ...flower[b].slice(1).reverse()];
    return flower[b].length - at;
  };
  const setMate = (u, v) => {
    mate[u] = edge[u][v][1];
    if (u <= n) return;
    const x = from[u][edge[u][v][0]], at = turn(u, x);
    for (let i = 0; i < at; i++) setMate(flower[u][i], flower[u][i ^ 1]);
    setMate(x, v);
    flower[u] = [...flower[u].slice(at), ...flower[u].slice(0, at)];
  };
  const augment = (u, v) => {
    for (;;) {
      const next = root[mate[u]];
      setMate(u, v);
      if (!next) return;
      setMate(next, root[parent[next]]);
      u = root[parent[next]];
      v = next;
    }
  };
  const ancestor = (u, v) => {
    for (clock++; u || v; [u, v] = [v, u]) {
      if (!u) continue;
      if (seen[u] === clock) return u;
      seen[u] = clock;
      u = root[mate[u]];
      if (u) u = root[parent[u]];
    }
    return 0;
  };
  const shrink = (u, base, v) => {
    let b = n + 1;
    while (b <= top && root[b]) b++;
    if (b > top) top++;
    label[b] = 0n;
    colour[b] = 0;
    mate[b] = mate[base];
    flower[b] = [base];
    for (let x = u; x !== base; ) { const y = root[mate[x]]; flower[b].push(x, y); push(y); x = root[parent[y]]; }
    flower[b] = [base, ...flower[b].slice(1).reverse()];
    for (let x = v; x !== base; ) { const y = root[mate[x]]; flower[b].push(x, y); push(y); x = root[parent[y]]; }
    setRoot(b, b);
    for (let x = 1; x <= top; x++) { edge[b][x] = [b, x, 0n]; edge[x][b] = [x, b, 0n]; from[b][x] = 0; }
    for (const y of flower[b]) {
      for (let x = 1; x <= top; x++)
        if (edge[b][x][2] === 0n || gap(edge[y][x]) < gap(edge[b][x])) { edge[b][x] = edge[y][x]; edge[x][b] = edge[x][y]; }
      for (let x = 1; x <= n; x++) if (y === x || from[y][x]) from[b][x] = y;
    }
    setSlack(b);
  };
  const expand = (b) => {
    for (const y of flower[b]) setRoot(y, y);
    const x = from[b][edge[b][parent[b]][0]], at = turn(b, x);
    for (let i = 0; i < at; i += 2) {
      const s = flower[b][i], t = flower[b][i + 1];
      parent[s] = edge[t][s][0];
      colour[s] = 1;
      colour[t] = 0;
      slack[s] = 0;
      setSlack(t);
      push(t);
    }
    colour[x] = 1;
    parent[x] = parent[b];
    for (let i = at + 1; i < flower[b].length; i++) { colour[flower[b][i]] = -1; setSlack(flower[b][i]); }
    root[b] = 0;
  };
  const found = (e) => { // a tight edge; true if it augmented the matching
    const u = root[e[0]], v = root[e[1]];
    if (colour[v] === -1) {
      parent[v] = e[0];
      colour[v] = 1;
      const next = root[mate[v]];
      slack[v] = slack[next] = 0;
      colour[next] = 0;
      push(next);
    } else if (colour[v] === 0) {
      const base = ancestor(u, v);
      if (!base) { augment(u, v); augment(v, u); return true; }
      shrink(u, base, v);
    }
    return false;
  };
  const phase = () => {
    colour.fill(-1);
    slack.fill(0);
    queue = [];
    for (let x = 1; x <= top; x++) if (root[x] === x && !mate[x]) { parent[x] = 0; colour[x] = 0; push(x); }
    if (!queue.length) return false;
    for (;;) {
      while (queue.length) {
        const u = queue.shift();
        if (colour[root[u]] === 1) continue;
        for (let v = 1; v <= n; v++)
          if (edge[u][v][2] > 0n && root[u] !== root[v]) {
            if (gap(edge[u][v]) === 0n) { if (found(edge[u][v])) return true; } else update(u, root[v]);
          }
      }
      let d = null;
      const least = (x) => { if (d === null || x < d) d = x; };
      for (let b = n + 1; b <= top; b++) if (root[b] === b && colour[b] === 1) least(label[b] / 2n);
      for (let x = 1; x <= top; x++)
        if (root[x] === x && slack[x]) {
          const g = gap(edge[slack[x]][x]);
          if (colour[x] === -1) least(g); else if (colour[x] === 0) least(g / 2n);
        }
      for (let u = 1; u <= n; u++) {
        if (colour[root[u]] === 0) { if (label[u] <= d) return false; label[u] -= d; } else if (colour[root[u]] === 1) label[u] += d;
      }
      for (let b = n + 1; b <= top; b++)
        if (root[b] === b) { if (colour[b] === 0) label[b] += 2n * d; else if (colour[b] === 1) label[b] -= 2n * d; }
      queue = [];
      for (let x = 1; x <= top; x++)
        if (root[x] === x && slack[x] && root[slack[x]] !== x && gap(edge[slack[x]][x]) === 0n && found(edge[slack[x]][x])) return true;
      for (let b = n + 1; b <= top; b++) if (root[b] === b && colour[b] === 1 && label[b] === 0n) expand(b);
    }
  };
  let most = 0n;
  for (let u = 1; u <= n; u++) {
    root[u] = u;
    for (let v = 1; v <= n; v++) { from[u][v] = u === v ? u : 0; if (edge[u][v][2] > most) most = edge[u][v][2]; }
  }
  for (let u = 1; u <= n; u++) label[u] = most;
  while (phase());
  const pairs = [];
  let total = 0n;
  for (let u = 1; u <= n; u++) if (mate[u] > u) { pairs.push([u - 1, mate[u] - 1]); total += costs.get((u - 1) * n + mate[u] - 1); }
  return { pairs, total };
}
