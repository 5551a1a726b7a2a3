// The rules of the games (RULES.md). A state is immutable: { mover, returns } and the board; returns is null while the game lasts.

function connect4(rows, cols) {
  const lines = (cells, r, c, who) => [[0, 1], [1, 0], [1, 1], [1, -1]].some(([dr, dc]) => {
    let n = 1;
    for (const s of [1, -1])
      for (let y = r + s * dr, x = c + s * dc; y >= 0 && y < rows && x >= 0 && x < cols && cells[y * cols + x] === who; y += s * dr, x += s * dc) n++;
    return n >= 4;
  });
  return {
    start: () => ({ cells: Array(rows * cols).fill(0), mover: 0, returns: null }),
    legal: (s) => s.returns ? [] : [...Array(cols).keys()].filter((c) => !s.cells[(rows - 1) * cols + c]),
    play(s, c) {
      const cells = s.cells.slice(), who = s.mover + 1;
      let r = 0;
      while (cells[r * cols + c]) r++;
      cells[r * cols + c] = who;
      const returns = lines(cells, r, c, who) ? (who === 1 ? [1, -1] : [-1, 1]) : cells.includes(0) ? null : [0, 0];
      return { cells, mover: 1 - s.mover, returns };
    },
    name: (a) => `PUT ${a + 1}`,
  };
}

const N = 7; // desconecta4: rows and columns
/** The seat of the line that starts first (row by row from the bottom, from the left), or null. */
function firstLine(cells) {
  const own = (r, c) => (r < 0 || r >= N || c < 0 || c >= N || !cells[r * N + c] ? 0 : ((cells[r * N + c] - 1) % 3) + 1);
  for (let r = 0; r < N; r++)
    for (let c = 0; c < N; c++)
      for (const [dr, dc] of [[0, 1], [1, 1], [-1, 1], [1, 0]]) {
        const who = own(r, c);
        if (!who || own(r - dr, c - dc) === who) continue; // not the end of the whole line
        if ([1, 2, 3].every((k) => own(r + k * dr, c + k * dc) === who)) return who - 1;
      }
  return null;
}
const desconecta4 = {
  start: () => ({ cells: Array(N * N).fill(0), mover: 0, returns: null, ply: 0 }),
  legal(s) {
    if (s.returns) return [];
    const out = [...Array(N).keys()].filter((c) => !s.cells[(N - 1) * N + c]);
    if (s.cells.includes(4 + s.mover)) out.push(7);
    return out;
  },
  play(s, a) {
    const cells = s.cells.slice(), bomb = 4 + s.mover, round = Math.floor(s.ply / 2) + 1;
    if (a === 7) {
      const row = Math.floor(cells.indexOf(bomb) / N);
      for (let c = 0; c < N; c++) {
        if (cells[row * N + c] !== bomb && cells[row * N + c] !== s.mover + 1) continue;
        for (let r = row; r < N; r++) cells[r * N + c] = r + 1 < N ? cells[(r + 1) * N + c] : 0;
      }
    } else {
      let r = 0;
      while (cells[r * N + a]) r++;
      cells[r * N + a] = round % 5 === 0 && !cells.includes(bomb) ? bomb : s.mover + 1;
    }
    const loser = firstLine(cells);
    const returns = loser === 0 ? [-1, 1] : loser === 1 ? [1, -1] : cells.includes(0) ? null : [0, 0];
    return { cells, mover: 1 - s.mover, returns, ply: s.ply + 1 };
  },
  name: (a) => (a === 7 ? "BOOM" : `PUT ${a + 1}`),
};

// mancala: a ring of 14 cells; 0-5 pits 6 to 1 of seat 0, 6 its store, 7-12 pits 6 to 1 of seat 1, 13 its store
const mancala = {
  start: () => ({ ring: [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], mover: 0, returns: null }),
  legal: (s) => s.returns ? [] : [0, 1, 2, 3, 4, 5].filter((a) => s.ring[7 * s.mover + 5 - a]),
  play(s, a) {
    const ring = s.ring.slice(), own = 7 * s.mover, store = own + 6, skip = (store + 7) % 14;
    let at = own + 5 - a, seeds = ring[at];
    ring[at] = 0;
    while (seeds) {
      at = (at + 1) % 14;
      if (at === skip) continue;
      ring[at]++; seeds--;
    }
    if (at >= own && at < store && ring[at] === 1 && ring[12 - at]) {
      ring[store] += 1 + ring[12 - at];
      ring[at] = ring[12 - at] = 0;
    }
    const left = [0, 7].map((o) => ring.slice(o, o + 6).reduce((x, y) => x + y));
    let returns = null;
    if (!left[0] || !left[1]) {
      for (const k of [0, 1]) { ring[7 * k + 6] += left[k]; ring.fill(0, 7 * k, 7 * k + 6); }
      const d = Math.sign(ring[6] - ring[13]);
      returns = [d, d ? -d : 0];
    }
    return { ring, mover: at === store && !returns ? s.mover : 1 - s.mover, returns };
  },
  name: (a) => `PIT ${a + 1}`,
};

export const GAMES = { connect4: connect4(6, 7), "connect4-8x8": connect4(8, 8), desconecta4, mancala };
