// Looks two plies ahead in connect four (on any board); other games it plays at random. No package is needed.
//
//     node two_ply.mjs ws://HOST:8765/play ana [OPPONENT [GAME]]      (Node 20: node --experimental-websocket ...)
//
// With your token in the variable PALESTRA_TOKEN you play as yourself, without it as a guest of the name "ana".

const [url = "ws://127.0.0.1:8765/play", name = "two-ply-js", opponent, game = "connect4"] = process.argv.slice(2);
const token = process.env.PALESTRA_TOKEN ?? "";

// --- the search -------------------------------------------------------------------------------------------------

// The board after `player` (1 or 2) drops a piece into the column. `cells` is one list, the bottom row first.
function drop(board, column, player) {
  const cells = board.cells.slice();
  let place = column;
  while (cells[place] !== 0) place += board.cols;
  cells[place] = player;
  return { ...board, cells, last: place };
}

// Whether the piece that was dropped last completes a line of four.
function wins({ cells, rows, cols, last }) {
  const row = Math.floor(last / cols), col = last % cols;
  const run = (down, right) => {
    let length = 0;
    for (let r = row + down, c = col + right; r >= 0 && r < rows && c >= 0 && c < cols; r += down, c += right) {
      if (cells[r * cols + c] !== cells[last]) break;
      length += 1;
    }
    return length;
  };
  return [[0, 1], [1, 0], [1, 1], [1, -1]].some(([down, right]) => run(down, right) + run(-down, -right) >= 3);
}

const open = (board) => [...Array(board.cols).keys()].filter((c) => board.cells[(board.rows - 1) * board.cols + c] === 0);

function choose(turn) {
  const board = turn.state;
  if (!board.cells || board.round) return turn.legal[Math.floor(Math.random() * turn.legal.length)];
  const me = turn.seat + 1, them = 3 - me;
  const value = (column) => {
    const mine = drop(board, column, me);
    if (wins(mine)) return 1000;
    if (open(mine).some((reply) => wins(drop(mine, reply, them)))) return -1000;
    return -Math.abs(column - (board.cols - 1) / 2);
  };
  return turn.legal.map((column) => [value(column), column]).sort(([a], [b]) => b - a)[0][1];
}

// --- the connection ---------------------------------------------------------------------------------------------

function play(url, token, name, session = null, pause = 1000) {
  if (typeof WebSocket === "undefined") {
    console.error("This Node has no WebSocket: take Node 22 or newer, or start it with node --experimental-websocket");
    process.exit(1);
  }
  const socket = new WebSocket(url, ["palestra.v1.json"]);
  const send = (message) => socket.send(JSON.stringify(message));

  socket.onopen = () => send({ type: "hello", token, name, client: "two-ply-js/1", resume: session });
  socket.onerror = () => console.error(`${url}: no connection`);
  socket.onmessage = ({ data }) => {
    const m = JSON.parse(data);
    switch (m.type) {
      case "welcome":
        console.log(`I am ${m.player}`);
        if (session === null && opponent) send({ type: "challenge", opponent, game, wait: true });
        session = m.session;
        pause = 1000;
        break;
      case "match_start":
        if (m.at) play(m.at.url, m.at.ticket, null);
        else send({ type: "ready", match: m.match });
        break;
      case "turn":
        send({ type: "action", match: m.match, ply: m.ply, action: choose(m) });
        break;
      case "match_end":
        console.log(`${m.match}: ${m.returns} (${m.reason}) ${m.detail}`);
        break;
      case "error":
        console.error(`${m.code}: ${m.message}`);
        break;
      case "notice":
        console.log(m.message);
        break;
    }
  };
  socket.onclose = ({ code }) => {
    if ([1000, 1008, 1009, 4003, 4004, 4009].includes(code)) return console.log(`closed: ${code}`);
    setTimeout(() => play(url, token, name, session, Math.min(pause + 1000, 3000)), pause * (0.5 + Math.random()));
  };
}

// `node two_ply.mjs --test` tries the search on two positions.
function test() {
  const row = (text) => [...text].map(Number);
  const board = (bottom) => ({ rows: 6, cols: 7, cells: [...row(bottom), ...row("0".repeat(35))] });
  const legal = [0, 1, 2, 3, 4, 5, 6];
  for (const [bottom, best] of [["1110200", 3], ["2220010", 3]]) {
    const found = choose({ state: board(bottom), legal, seat: 0 });
    if (found !== best) throw new Error(`on ${bottom} it plays ${found} and not ${best}`);
  }
  console.log("ok: it takes a win and stops one");
}

if (url === "--test") test();
else play(url.replace(/^(wss?:\/\/[^/]+)\/?$/, "$1/play"), token, name);
