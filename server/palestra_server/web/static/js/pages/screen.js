// @ts-check
// The big screen: by itself through the tensest live games, the standings and the next pairings. It shows no score of an
// embargoed round, and no result of a game before its last board was seen.
import { get } from "../api.js";
import { Board } from "../board/board.js";
import { fill, h } from "../dom.js";
import * as view from "../view.js";
import { gameName, points, rankRange, score, tournamentName } from "../format.js";
import { t, tOr } from "../i18n.js";
import { line } from "../line.js";
import { MatchModel } from "../match_model.js";
import { Clock, hand } from "../parts/clock.js";
import { yard } from "../parts/empty.js";
import { meetings } from "../parts/schedule.js";
import { disc } from "../parts/seat.js";
import { tension } from "../tension.js";

const GAME_MS = 25_000;
const PAGE_MS = 12_000;
const AFTER_END_MS = 5_000;
const LOOK_MS = 1_000;
const ROWS = 10;

class ScreenPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Map<string, any>} */
    this.live = new Map();
    /** @type {Map<string, {player: string, points: number}[]>} of the tournaments whose matches are on, the leader first */
    this.standings = new Map();
    /** @type {(() => void)[]} */
    this.stops = [];
    this.stopMatch = () => {};
    /** Somebody came or went, who may be to move. @type {(player: string) => void} */
    this.came = () => {};
    this.here = new Set();
    this.timer = 0;
    this.turn = 0;
    this.page = 0;
    this.idle = false;
    /** @type {string | null} */
    this.showing = null;
  }

  connectedCallback() {
    this.stage = h("div", { class: "stage" });
    // This page has no header that would say so.
    const state = h("span", { role: "status" });
    const tell = () => {
      state.className = line.state === "lost" ? "pill lost" : "";
      state.textContent = line.state === "lost" ? t("line.lost") : "";
    };
    line.addEventListener("state", tell);
    this.stops.push(() => line.removeEventListener("state", tell));
    tell();
    this.foot = h("footer", { class: "screen-foot" }, h("a", { href: "/" }, "Palestra"), state, h("span", null, location.host), h("button", { type: "button", class: "plain", onclick: () => document.documentElement.requestFullscreen?.() }, t("screen.full")));
    this.append(h("h1", { class: "only-read" }, t("lobby.screen")), this.stage, this.foot);
    this.classList.add("screen");
    this.stops.push(line.watch("lobby", (event) => this.#lobby(event)));
    this.#later(300);
  }

  disconnectedCallback() {
    // What is still being asked for comes too late.
    this.turn++;
    clearTimeout(this.timer);
    this.stopMatch();
    for (const stop of this.stops) stop();
  }

  /** @param {any} event */
  #lobby(event) {
    if (event.type === "snapshot") {
      this.live = new Map(event.matches.map((/** @type {any} */ match) => [match.match, match]));
      this.here = new Set(event.players.map((/** @type {any} */ player) => player.name));
    } else if (event.type === "player_joined" || event.type === "player_left") {
      if (event.type === "player_left") this.here.delete(event.player);
      else this.here.add(event.player);
      this.came(event.player);
    } else if (event.type === "match_start") {
      this.live.set(event.match, event);
      if (this.idle) this.#next();
    } else if (event.type === "played") {
      const match = this.live.get(event.match);
      if (match) Object.assign(match, event);
    } else if (event.type === "match_end") {
      this.live.delete(event.match);
    }
  }

  /** Shows the next thing: two games, then the tables of the tournament that is on. */
  async #next() {
    if (line.state === "lost") {
      // What would be shown now is not there: the board stays until the line is back.
      this.#later(LOOK_MS);
      return;
    }
    clearTimeout(this.timer);
    this.stopMatch();
    this.stopMatch = () => {};
    this.idle = false;
    const turn = ++this.turn;
    const at = this.page++ % 4;
    const shown = at === 2 ? await this.#standings() : at === 3 ? await this.#pairings() : await this.#game(turn);
    if (turn !== this.turn || !this.isConnected) return;
    if (shown) {
      // A game has its own: it may be over before it is shown.
      if (at >= 2) this.#later(PAGE_MS);
      return;
    }
    if (at < 2 && this.live.size === 0 && (this.page - 1) % 4 === 0) this.#wait();
    this.#later(at < 2 ? 0 : 3000);
  }

  /** The next step after this many ms, and not before: there is one timer. @param {number} ms */
  #later(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#next(), ms);
  }

  #wait() {
    this.idle = true;
    fill(/** @type {Element} */ (this.stage), h("div", { class: "screen-wait" }, drawn(yard()), h("p", null, t("screen.wait")), h("p", { class: "quiet" }, location.host)));
  }

  /** As visitors may see them: the teacher's browser would get the hidden round, too. @param {string} tournament */
  async #rows(tournament) {
    const { rows } = await get(`/tournaments/${encodeURIComponent(tournament)}/standings?as=visitor`).catch(() => ({ rows: [] }));
    this.standings.set(tournament, rows);
    return rows;
  }

  /** @param {number} turn */
  async #game(turn) {
    // For each choice as they are then, and none that nobody plays in any more.
    this.standings.clear();
    await Promise.all([...new Set([...this.live.values()].map(({ tournament }) => tournament).filter(Boolean))].map((name) => this.#rows(name)));
    if (turn !== this.turn) return false;
    const tense = (/** @type {any} */ match) => tension(match, this.standings.get(match.tournament) ?? []);
    const tensest = [...this.live.values()].filter(({ match }) => match !== this.showing).sort((a, b) => tense(b) - tense(a));
    const chosen = tensest[0] ?? [...this.live.values()][0];
    if (chosen === undefined) return false;
    this.showing = chosen.match;
    const model = new MatchModel();
    const board = h("div", { class: "screen-board" });
    const [clocks, names] = [[new Clock(1), new Clock(1)], [h("span", { class: "name" }), h("span", { class: "name" })]];
    const sides = /** @type {const} */ ([0, 1]).map((seat) => h("div", { class: `side s${seat}` }, h("div", null, drawn(disc(seat)), names[seat], drawn(clocks[seat].time), drawn(clocks[seat].bar))));
    const about = h("p", { class: "screen-about" });
    const game = h("div", { class: "screen-game" }, sides[1], board, sides[0]);
    fill(/** @type {Element} */ (this.stage), game, about);
    this.#later(GAME_MS);
    /** @type {(number | null)[]} */
    let gone_at = [null, null];
    const tick = () => {
      gone_at = model.players.map((name, seat) => (this.here.size > 0 && !this.here.has(name) ? (gone_at[seat] ?? performance.now()) : null));
      for (const seat of /** @type {const} */ ([0, 1])) clocks[seat].show(hand(model, seat, gone_at[seat]), (model.result?.returns[seat] ?? 0) > 0 ? t("won") : "");
    };
    this.came = (player) => player === model.players[model.clock?.seat ?? 0] && tick();
    this.stopMatch = line.watch(`match:${chosen.match}`, (event) => {
      if (!model.take(event) || model.view === undefined) return;
      view.render(view.h(Board, { view: model.view, before: model.views.at(-2), action: model.moves.at(-1)?.action }), board);
      game.classList.toggle("flat", model.view.kind === "pits");
      tick();
      for (const seat of /** @type {const} */ ([0, 1])) {
        const won = model.result !== null && model.result.returns[seat] > 0;
        const name = model.players[seat];
        names[seat].textContent = name;
        sides[seat].style.setProperty("--chars", String(Math.max(4, ...name.split(/\s+/).map((word) => word.length))));
        sides[seat].classList.toggle("moves-now", model.view.to_move === seat && model.result === null);
        sides[seat].classList.toggle("winner", won);
      }
      about.textContent = [gameName(model.game), t("ply.n", { n: model.plies }), tournamentName(model), model.result ? score(model.result) : null].filter(Boolean).join(" · ");
      if (model.result !== null) this.#later(AFTER_END_MS);
    });
    return true;
  }

  async #current() {
    const { tournaments } = await get("/tournaments").catch(() => ({ tournaments: [] }));
    return tournaments.find((/** @type {any} */ one) => one.state === "running") ?? tournaments.find((/** @type {any} */ one) => one.state === "paused") ?? null;
  }

  async #standings() {
    const tournament = await this.#current();
    if (tournament === null) return false;
    const rows = await this.#rows(tournament.name);
    if (rows.length === 0) return false;
    const list = rows.filter((/** @type {any} */ row) => !row.reference).slice(0, ROWS).map((/** @type {any} */ row) =>
      h("tr", null, h("td", { class: "num" }, rankRange(row.rank_low ?? row.rank, row.rank_high ?? row.rank)), h("td", { class: "name" }, row.player), h("td", { class: "num" }, points(row.points))),
    );
    fill(/** @type {Element} */ (this.stage), h("h2", null, tournament.title || tournament.name), table(list), this.#round(tournament));
    return true;
  }

  async #pairings() {
    const tournament = await this.#current();
    if (tournament === null) return false;
    const { fixtures } = await get(`/tournaments/${encodeURIComponent(tournament.name)}/schedule?state=waiting&limit=200`).catch(() => ({ fixtures: [] }));
    const next = meetings(fixtures).slice(0, ROWS);
    if (next.length === 0) return false;
    const list = next.map((meeting) => {
      const [{ players, game }, n] = [meeting[0], meeting.length];
      const what = [n > 1 ? t("matches.n", { n }) : null, meeting.every((fixture) => fixture.game === game) ? gameName(game) : null];
      return h("tr", null, players.map((name) => h("td", { class: "name" }, name)), h("td", { class: "quiet" }, what.filter(Boolean).join(" · ")));
    });
    fill(/** @type {Element} */ (this.stage), h("h2", null, t("screen.next")), table(list), this.#round(tournament));
    return true;
  }

  /** @param {any} tournament */
  #round({ round, rounds, played, total, state }) {
    const words = [round ? (rounds ? t("round.of", { n: round, all: rounds }) : t("round.n", { n: round })) : null, total ? t("matches.of", { n: played, all: total }) : null, state === "paused" ? tOr("state.paused", state) : null];
    return h("p", { class: "screen-about" }, words.filter(Boolean).join(" · "));
  }
}

/** @param {import("../view.js").VNode} vnode */
function drawn(vnode) {
  const host = document.createElement("div");
  view.render(vnode, host);
  return /** @type {HTMLElement} */ (host.firstElementChild);
}

/** A table whose rows all have their place on the screen. @param {HTMLElement[]} rows */
function table(rows) {
  const element = h("table", { class: "screen-table" }, h("tbody", null, rows));
  element.style.setProperty("--rows", String(rows.length));
  return element;
}

customElements.define("page-screen", ScreenPage);

/** @type {any} */
const none = undefined;
export default none;
