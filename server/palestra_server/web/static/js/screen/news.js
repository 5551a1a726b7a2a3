// @ts-check
// All that the big screen knows: who is here, what is played, and of the tournament what every visitor may see.
import { get } from "../api.js";
import { line } from "../line.js";
import { lobby } from "../lobby_model.js";
import { choices } from "./featured.js";
/** @import { Fixture, LobbyEvent, Row, Tie, Tournament } from "../types.js" */
/** @import { View } from "../view.js" */

/** @typedef {{rank: number, player: string, points: number, wins: number, draws: number, losses: number}} Place on the podium */
/** @typedef {import("./programme.js").Told & {title: string, judged: boolean, value: import("../parts/judged.js").Value | null, podium: Place[][], is_whole: boolean}} Order */

const LOOK_MS = 5_000;
const AGAIN = { soon_ms: 300, apart_ms: 2_000 };

export class News {
  /** @type {Order} */
  order = { show: "auto", match: null, going: 0, ceremony: null, title: "", judged: false, value: null, podium: [], is_whole: false };
  /** Whether both have come: what the teacher says, and what there is. */
  ordered = false;
  loaded = false;
  /** @type {Tournament | null} */
  cup = null;
  /** @type {Row[]} */
  rows = [];
  /** @type {Fixture[]} of the round that is on, or the next */
  fixtures = [];
  /** @type {Fixture[]} of the last round that has results */
  results = [];
  /** @type {Tie[][]} */
  bracket = [];
  /** @type {Map<string, {ply: number, at: number}>} when each match moved last, by the page's own clock */
  #moved = new Map();
  #asked = 0;

  /** Calls `changed` when there is news, until the page leaves. @param {View} page @param {() => void} changed */
  constructor(page, changed) {
    this.changed = changed;
    this.again = page.throttled(() => this.#load(), AGAIN);
    page.every(LOOK_MS, () => this.again());
    page.until(lobby.watch((event) => this.#hear(event)));
    page.until(line.watch("screen", (event) => {
      this.order = event;
      this.ordered = true;
      this.again();
      this.changed();
    }));
    page.until(() => this.#asked++);
    this.#load();
  }

  /** @param {LobbyEvent} event */
  #hear(event) {
    const now = performance.now();
    for (const { match, ply, age_ms = 0 } of lobby.matches.values()) {
      const known = this.#moved.get(match);
      // One that has not moved may have begun long ago, and nobody plays it.
      if (known === undefined) this.#moved.set(match, { ply, at: ply > 8 ? now : now - age_ms });
      else if (known.ply !== ply) this.#moved.set(match, { ply, at: now });
    }
    for (const match of this.#moved.keys()) if (!lobby.matches.has(match)) this.#moved.delete(match);
    if (event.type !== "played") this.again();
    this.changed();
  }

  /** Which matches may be shown. */
  get choices() {
    const { cup } = this;
    return choices([...lobby.matches.values()], {
      now: performance.now(),
      moved: (match) => this.#moved.get(match)?.at ?? 0,
      here: (player) => lobby.players.has(player),
      rounds: new Map((cup?.playing ?? []).flatMap(({ match, round }) => (match === null ? [] : [[match, round]]))),
      cup: cup && { name: cup.name, state: cup.state, round: cup.round ?? 0, rounds: cup.rounds, knockout: this.bracket.length > 0 },
      rows: this.rows,
    });
  }

  async #load() {
    const mine = ++this.#asked;
    try {
      const found = await read(this.order.ceremony);
      if (mine !== this.#asked) return;
      Object.assign(this, found, { loaded: true });
      this.changed();
    } catch {
      // What was known stays, and it is asked again.
    }
  }
}

/** What a visitor sees, also in the teacher's own browser. @param {string} path */
const seen = (path) => get(`${path}${path.includes("?") ? "&" : "?"}as=visitor`);

/** @param {string | null} named the tournament that is honoured, if one is */
async function read(named) {
  const { tournaments } = await seen("/tournaments");
  const chosen = tournaments.find((/** @type {Tournament} */ { name }) => name === named) ?? current(tournaments);
  if (chosen === null) return { cup: null, rows: [], fixtures: [], results: [], bracket: [] };
  const path = `/tournaments/${encodeURIComponent(chosen.name)}`;
  const cup = await seen(path);
  if (cup.state === "draft" || cup.state === "waiting") return { cup, rows: [], fixtures: [], results: [], bracket: [] };
  const round = (/** @type {number} */ n) => (n < 1 ? { fixtures: [] } : seen(`${path}/schedule?round=${n}&limit=1000`));
  const [{ rows }, { rounds }, { fixtures }, { rounds: bracket }] = await Promise.all([
    seen(`${path}/standings`),
    seen(`${path}/schedule?limit=1`),
    round(cup.round),
    cup.views.includes("bracket") ? seen(`${path}/bracket`) : { rounds: [] },
  ]);
  const last = rounds.findLast((/** @type {{ended: number}} */ { ended }) => ended > 0)?.round ?? 0;
  const results = last === cup.round ? fixtures : (await round(last)).fixtures;
  return { cup, rows, fixtures, results, bracket };
}

/** The tournament that is on, else the one that was created last. @param {Tournament[]} tournaments the newest last */
export function current(tournaments) {
  const whole = tournaments.filter(({ state }) => /** @type {string} */ (state) !== "damaged");
  const on = whole.findLast(({ state }) => state === "running") ?? whole.findLast(({ state }) => state === "paused");
  return on ?? whole.at(-1) ?? null;
}
