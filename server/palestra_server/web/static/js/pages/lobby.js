// @ts-check
// The first page: what is being played now, what just ended, who is here; or how to begin.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { command, fill, h, refill } from "../dom.js";
import { clockTime, ending, gameName, score, versus } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { yard } from "../parts/empty.js";
import { Leaders } from "../parts/leaders.js";
import { MatchCard } from "../parts/match_card.js";
import { about } from "../session.js";
import { steady } from "../steady.js";
import { Throttle } from "../throttle.js";

const LINGER_MS = 5000;
const RECENT = 8;
const REFRESH_MS = { soon_ms: 600, apart_ms: 3000 };

class Lobby extends HTMLElement {
  constructor() {
    super();
    /** @type {Map<string, MatchCard>} */
    this.cards = new Map();
    /** @type {Map<string, {name: string, busy: boolean}>} */
    this.players = new Map();
    this.greeting = h("h3");
    this.stop = () => {};
    this.refresh = new Throttle(() => this.#loadRecent(), REFRESH_MS);
    this.ticking = 0;
  }

  connectedCallback() {
    this.live = h("div", { class: "cards" });
    this.welcome = h("div", { class: "card welcome", hidden: true });
    this.recent = h("ul", { class: "plainlist tight" });
    this.here = h("ul", { class: "plainlist names" });
    this.count = h("h2", null, t("lobby.now"));
    this.leaders = new Leaders();
    const side = h(
      "div",
      { class: "stack later pending" },
      this.leaders.element,
      h("section", null, h("h2", null, t("lobby.recent")), h("div", { class: "card" }, this.recent)),
      h("section", null, h("h2", null, t("lobby.here")), h("div", { class: "card" }, this.here)),
      h("p", { class: "small" }, h("a", { href: "/screen" }, t("lobby.screen"))),
    );
    this.append(h("h1", { class: "only-read" }, t("lobby.title")), this.body = h("div", { class: "split waiting" }, h("section", null, this.count, this.welcome, this.live), side));
    this.#showHere();
    this.stop = line.watch("lobby", (event) => this.#take(event));
    this.ticking = setInterval(() => this.cards.forEach((card) => card.tick()), 1000);
    this.#loadRecent();
    // All at once, so that nothing moves while being read.
    this.leaders.load().then(() => side.classList.remove("pending"));
  }

  disconnectedCallback() {
    this.stop();
    this.leaders?.again.stop();
    clearInterval(this.ticking);
    this.refresh.stop();
  }

  /** @param {any} event */
  #take(event) {
    if (event.type === "snapshot") {
      this.players = new Map(event.players.map((/** @type {any} */ player) => [player.name, player]));
      const known = this.cards;
      this.cards = new Map(event.matches.map((/** @type {any} */ match) => [match.match, known.get(match.match)?.again(match) ?? new MatchCard(match)]));
      refill(/** @type {Element} */ (this.live), [...this.cards.values()].map(({ element }) => element));
      // Another snapshot says that events were missed, results among them.
      if (!this.body?.classList.contains("waiting")) this.#askAgain();
      this.body?.classList.remove("waiting");
      this.#showHere();
    } else if (event.type === "player_joined") {
      this.players.set(event.player, { name: event.player, busy: false });
      this.#showHere();
    } else if (event.type === "player_left") {
      this.players.delete(event.player);
      this.#showHere();
    } else if (event.type === "match_start") {
      this.#add(event);
    } else if (event.type === "played") {
      this.cards.get(event.match)?.show(event.view, event.ply);
    } else if (event.type === "match_end") {
      this.#end(event);
    }
    this.#showWelcome();
  }

  /** @param {any} match */
  #add(match) {
    if (this.cards.has(match.match)) return;
    const card = new MatchCard(match);
    this.cards.set(match.match, card);
    // What is over gives its place to what begins, so that the boards stay where the eye has them.
    const live = /** @type {Element} */ (this.live);
    const over = live.querySelector(".over");
    if (over) steady(live, () => over.replaceWith(card.element));
    else live.append(card.element);
  }

  /** @param {any} event */
  #end(event) {
    const card = this.cards.get(event.match);
    this.cards.delete(event.match);
    if (card !== undefined) {
      card.end(event);
      setTimeout(() => {
        steady(/** @type {Element} */ (this.live), () => card.element.remove());
        this.#showWelcome();
      }, LINGER_MS);
    }
    this.#askAgain();
  }

  #askAgain() {
    this.leaders?.again.ask();
    this.refresh.ask();
  }

  #showHere() {
    const names = [...this.players.keys()].sort((a, b) => a.localeCompare(b));
    fill(
      /** @type {Element} */ (this.here),
      names.length === 0 ? h("li", { class: "quiet" }, t("lobby.nobody")) : names.map((name) => h("li", null, h("a", { href: to.player(name) }, name))),
    );
  }

  /** Also the teacher's first page may be on a wall: it shows nothing of a hidden round. */
  async #loadRecent() {
    const list = /** @type {Element} */ (this.recent);
    try {
      const { matches } = await get(`/matches?limit=${RECENT * 2}&as=visitor`);
      const ended = matches.filter((/** @type {any} */ match) => !match.live && match.returns).slice(0, RECENT);
      fill(list, ended.length === 0 ? h("li", { class: "quiet" }, t("lobby.no.results")) : ended.map(recentRow));
    } catch {
      fill(list, h("li", { class: "quiet" }, t("lobby.no.results")));
    }
  }

  async #showWelcome() {
    const welcome = /** @type {HTMLElement} */ (this.welcome);
    const empty = this.cards.size === 0 && this.live?.childElementCount === 0;
    const count = /** @type {Element} */ (this.count);
    count.textContent = this.cards.size === 0 ? t("lobby.now") : t("lobby.now.n", { n: this.cards.size });
    welcome.hidden = !empty;
    if (!empty) return;
    this.greeting.textContent = t(this.players.size === 0 ? "welcome.title" : "welcome.quiet");
    if (welcome.childElementCount > 0) return;
    const lines = h("pre", { tabindex: 0 });
    welcome.append(
      h("div", { class: "greeting" }, h("div", null, this.greeting, h("p", null, t("welcome.what"))), yard()),
      h("p", { class: "quiet" }, t("welcome.empty")),
      lines,
      h("div", { class: "row" }, h("a", { class: "button main", href: "/connect" }, t("nav.connect")), h("a", { class: "button", href: "/play" }, t("nav.play"))),
    );
    const server = await about().catch(() => null);
    fill(lines, command(connectLines(server?.install ?? "pip install palestra-client", server?.port ?? null).join("\n")));
  }
}

/** The three lines that connect a bot. @param {string} install @param {number | null} port */
function connectLines(install, port) {
  const secure = location.protocol === "https:";
  const address = secure ? `wss://${location.host}/play` : `ws://${location.hostname}:${port ?? location.port}/play`;
  return [install, "palestra new mybot", `palestra join mybot/mybot.py --server ${address} --token …`];
}

/** @param {import("../types.js").Summary} match */
function recentRow(match) {
  const sentence = match.reason === "rules" ? `${gameName(match.game)}, ${t("ply.n", { n: match.plies })}` : ending(/** @type {any} */ (match));
  return h(
    "li",
    null,
    h("a", { href: to.match(match.match) }, h("b", null, versus(match.players, score(match)))),
    h("div", { class: "quiet small" }, [sentence.replace(/\.$/, ""), clockTime(match.ended)].filter(Boolean).join(" · ")),
  );
}

customElements.define("page-lobby", Lobby);
