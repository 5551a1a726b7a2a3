// Looks two plies ahead in connect four (on any board) and in mancala; in desconecta4, one. No package is needed.
//
//     node two_ply.mjs ws://HOST:8765/play ana [OPPONENT [GAME [GAMES]]]      (Node 20: node --experimental-websocket ...)
//
// With your token in the variable PALESTRA_TOKEN you play as yourself, without it as a guest of the name "ana".
// It plays GAMES matches against OPPONENT and leaves; without GAMES it plays one, then stays and waits for others.

import { subscribe } from "node:diagnostics_channel";

const [url = "ws://127.0.0.1:8765/play", name = "two-ply-js", opponent, game = "connect4", games] = process.argv.slice(2);
const token = process.env.PALESTRA_TOKEN ?? "";
const SILENCE_MS = 15_000; // the server pings every 5 seconds: who hears nothing for so long has lost it

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

function valueOfDrop(board, column, seat) {
  const offMiddle = Math.abs(column - (board.cols - 1) / 2);
  if (board.round) {
    // desconecta4: a line loses, the middle is dangerous, and BOOM is for when nothing else is left.
    if (column === board.cols) return -500;
    return wins(drop(board, column, seat + 1)) ? -1000 : offMiddle;
  }
  const mine = drop(board, column, seat + 1);
  if (wins(mine)) return 1000;
  if (open(mine).some((reply) => wins(drop(mine, reply, 2 - seat)))) return -1000;
  return -offMiddle;
}

// Mancala after `seat` sows a pit (from 0): `pits` has a row for each seat, the pit beside the store first.
function sow({ pits, stores }, seat, action) {
  const after = { pits: pits.map((row) => [...row]), stores: [...stores] };
  const mine = after.pits[seat], theirs = after.pits[1 - seat], last = mine.length - 1;
  let side = seat, pit = action, seeds = mine[action];
  for (mine[action] = 0; seeds > 0; seeds--) {
    pit -= 1;
    if (pit < -1 || (pit === -1 && side !== seat)) [side, pit] = [1 - side, last]; // past a store
    if (pit === -1) after.stores[seat] += 1;
    else after.pits[side][pit] += 1;
  }
  if (pit >= 0 && side === seat && mine[pit] === 1 && theirs[last - pit] > 0) {
    after.stores[seat] += 1 + theirs[last - pit];
    mine[pit] = theirs[last - pit] = 0;
  }
  if (after.pits.some((row) => row.every((seeds) => seeds === 0))) {
    after.pits.forEach((row, owner) => {
      after.stores[owner] += row.reduce((sum, seeds) => sum + seeds, 0);
      row.fill(0);
    });
  }
  after.again = pit === -1;
  return after;
}

function valueOfPit(board, action, seat) {
  const lead = ({ stores }) => stores[seat] - stores[1 - seat];
  const mine = sow(board, seat, action), them = 1 - seat;
  const replies = mine.again ? [] : [...mine.pits[them].keys()].filter((pit) => mine.pits[them][pit] > 0);
  return replies.length ? Math.min(...replies.map((reply) => lead(sow(mine, them, reply)))) : lead(mine);
}

function choose({ state, legal, seat }) {
  let value;
  if (state.pits) value = (action) => valueOfPit(state, action, seat);
  else if (state.cells) {
    const board = { ...state, cells: state.cells.map((cell) => (cell > 3 ? cell - 3 : cell)) }; // 4 and 5 are bombs
    value = (action) => valueOfDrop(board, action, seat);
  } else value = Math.random; // another game
  return legal.map((action) => [value(action), action]).sort(([a], [b]) => b - a)[0][1];
}

// --- the connection ---------------------------------------------------------------------------------------------

let over = 0; // matches that have ended
const stays = "Waiting for matches; Ctrl-C ends this program.";

function play(url, token, name, session = null, pause = 1000) {
  if (typeof WebSocket === "undefined") {
    console.error("This Node has no WebSocket: take Node 22 or newer, or start it with node --experimental-websocket");
    process.exit(1);
  }
  const socket = new WebSocket(url, ["palestra.v1.json"]);
  const send = (message) => socket.send(JSON.stringify(message));
  const challenge = () =>
    send({ type: "challenge", opponent, game, seat: games === undefined ? null : over % 2, wait: true });
  const ended = () => {
    over += 1;
    if (games === undefined || !opponent) console.log(stays);
    else if (over < Number(games)) challenge();
    else socket.close(1000);
  };
  const again = () => {
    clearTimeout(watch);
    onPing = null;
    socket.onclose = socket.onerror = socket.onmessage = null;
    setTimeout(() => play(url, token, name, session, Math.min(pause + 1000, 3000)), pause * (0.5 + Math.random()));
  };
  let watch; // wound up by whatever comes
  const heard = () => {
    clearTimeout(watch);
    watch = setTimeout(() => {
      console.error(`${url}: silent for ${SILENCE_MS / 1000} s; connecting again`);
      again();
      socket.close();
    }, SILENCE_MS);
  };

  socket.onopen = () => {
    onPing = heard;
    heard();
    send({ type: "hello", token, name, client: "two-ply-js/1", resume: session });
  };
  socket.onerror = () => {
    console.error(`${url}: no connection`);
    again(); // an older Node says no more than this where nothing listens
  };
  socket.onmessage = ({ data }) => {
    heard();
    const m = JSON.parse(data);
    switch (m.type) {
      case "welcome":
        console.log(`I am ${m.player}`);
        if (opponent) {
          // Again after a lost line: a challenge that waited went with it.
          if (m.matches.length === 0 && over < Number(games ?? 1)) challenge();
        } else if (session === null) console.log(stays);
        session = m.session;
        pause = 1000;
        break;
      case "match_start":
        send({ type: "ready", match: m.match });
        break;
      case "turn":
        send({ type: "action", match: m.match, ply: m.ply, action: choose(m) });
        break;
      case "match_end":
        console.log(`${m.match}: ${m.returns} (${m.reason}) ${m.detail}`);
        ended();
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
    if (![1000, 1008, 1009, 4003, 4004, 4009].includes(code)) return again();
    clearTimeout(watch);
    onPing = null;
    console.log(`closed: ${code}`);
    process.exit(code === 1000 ? 0 : 1);
  };
}

// Node answers pings by itself and tells who asks that one came.
let onPing = null;
subscribe("undici:websocket:ping", () => onPing?.());

// `node two_ply.mjs --test` tries the search on a few positions.
function test() {
  const row = (text) => [...text].map(Number);
  const grid = (bottom, more) => ({ rows: 6, cols: 7, cells: [...row(bottom), ...row("0".repeat(35))], ...more });
  const cases = [
    ["a win", grid("1110200"), 3],
    ["a line to stop", grid("2220010"), 3],
    ["a line of its own in desconecta4", grid("0111000", { round: 4 }), 6],
    ["a capture", { pits: [row("200100"), row("111611")], stores: [0, 0] }, 3],
  ];
  for (const [what, state, best] of cases) {
    const legal = state.pits ? [0, 3] : what.includes("own") ? [0, 4, 6] : [0, 1, 2, 3, 4, 5, 6];
    const found = choose({ state, legal, seat: 0 });
    if (found !== best) throw new Error(`${what}: it plays ${found} and not ${best}`);
  }
  console.log("ok: it takes a win and stops one");
}

if (url === "--test") test();
else if (!URL.canParse(url) || !/^wss?:\/\/(?!HOST([:\/]|$))[^#\s]+$/.test(url)) {
  console.error(`${url} is not the address of a server: write it like ws://192.168.1.20:8765`);
  process.exit(1);
} else if (!/^[1-9]\d{0,8}$/.test(games ?? "1")) {
  console.error(`GAMES is a whole number from 1 on, not ${games}`);
  process.exit(1);
} else play(url.replace(/^(wss?:\/\/[^/]+)\/?$/, "$1/play"), token, name);
