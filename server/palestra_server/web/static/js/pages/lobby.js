// @ts-check
// The first page: what is being played now, what just ended, who is here; or how to begin.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { clockTime, ending, gameName, score, versus } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { connection, installing } from "../parts/connecting.js";
import { command } from "../parts/copy.js";
import { yard } from "../parts/empty.js";
import { leaderTable, loadLeaders } from "../parts/leaders.js";
import { MatchCard } from "../parts/match_card.js";
import { about } from "../session.js";
import { Throttle } from "../throttle.js";
import { h, View } from "../view.js";

/** @typedef {import("../types.js").LiveMatch} LiveMatch */
/** @typedef {import("../types.js").LobbyEvent} LobbyEvent */
/** @typedef {import("../types.js").Summary} Summary */

const LINGER_MS = 5000;
const RECENT = 8;
const REFRESH_MS = { soon_ms: 600, apart_ms: 3000 };
const LEADERS_MS = { soon_ms: 2000, apart_ms: 15_000 };

/** @typedef {{server: import("../types.js").About | null, recent: Summary[] | null, leaders: Awaited<ReturnType<typeof loadLeaders>> | undefined}} State */

/** @extends {View<{}, State>} */
export default class LobbyPage extends View {
  /** @type {State} */
  state = { server: null, recent: null, leaders: undefined };
  /** @type {{match: LiveMatch, end: import("../parts/match_card.js").Ended | null}[]} the cards, in their places */
  cards = [];
  refresh = new Throttle(() => this.#loadRecent(), REFRESH_MS);
  leaders = new Throttle(() => this.#loadLeaders(), LEADERS_MS);

  componentDidMount() {
    const known = new Set();
    this.until(lobby.watch((event) => {
      // Another snapshot says that events were missed, results among them.
      if (event.type === "match_end" || (event.type === "snapshot" && known.has("snapshot"))) this.#askAgain();
      known.add(event.type);
      this.#place(event);
      this.redraw();
    }));
    const ticking = setInterval(() => this.redraw(), 1000);
    this.until(() => {
      clearInterval(ticking);
      this.leaders.stop();
      this.refresh.stop();
    });
    this.#loadRecent();
    this.#loadLeaders();
    about().then((server) => this.setState({ server }), () => {});
  }

  #askAgain() {
    this.leaders.ask();
    this.refresh.ask();
  }

  /** What is over gives its place to what begins, so that the boards stay where the eye has them. @param {LobbyEvent} event */
  #place(event) {
    if (event.type === "snapshot") {
      this.cards = [...lobby.matches.values()].map((match) => ({ match, end: null }));
    } else if (event.type === "match_start") {
      const match = lobby.matches.get(event.match);
      if (match === undefined || this.cards.some((card) => card.match === match)) return;
      const free = this.cards.findIndex((card) => card.end !== null);
      this.cards.splice(free < 0 ? this.cards.length : free, 1, { match, end: null });
    } else if (event.type === "match_end") {
      const at = this.cards.findIndex((card) => card.match.match === event.match);
      const card = this.cards[at];
      if (card === undefined) return;
      const over = { match: card.match, end: event };
      this.cards[at] = over;
      const timer = setTimeout(() => {
        this.cards = this.cards.filter((each) => each !== over);
        this.redraw();
      }, LINGER_MS);
      this.until(() => clearTimeout(timer));
    }
  }

  /** Also the teacher's first page may be on a wall: it shows nothing of a hidden round. */
  async #loadRecent() {
    /** @type {{matches: Summary[]}} */
    const { matches } = await get(`/matches?limit=${RECENT * 2}&as=visitor`).catch(() => ({ matches: [] }));
    this.setState({ recent: matches.filter((match) => !match.live && match.returns).slice(0, RECENT) });
  }

  async #loadLeaders() {
    // If they can't be had, those that are shown stay; without them the page is whole.
    await loadLeaders().then((leaders) => this.setState({ leaders }), () => this.setState({ leaders: this.state.leaders ?? null }));
  }

  render() {
    const { recent, leaders } = this.state;
    const n = lobby.matches.size;
    const names = [...lobby.players.keys()].sort((a, b) => a.localeCompare(b));
    // All at once, so that nothing moves while being read.
    const side = h(
      "div",
      { class: `stack later ${leaders === undefined ? "pending" : ""}` },
      leaderTable(leaders ?? null),
      h("section", null, h("h2", null, t("lobby.recent")), h("div", { class: "card" }, h("ul", { class: "plainlist tight" }, recent?.length === 0 ? h("li", { class: "quiet" }, t("lobby.no.results")) : recent?.map(recentRow)))),
      h("section", null, h("h2", null, t("lobby.here")), h("div", { class: "card" }, h("ul", { class: "plainlist names" }, names.length === 0 ? h("li", { class: "quiet" }, t("lobby.nobody")) : names.map((name) => h("li", { key: name }, h("a", { href: to.player(name), title: name }, name)))))),
      h("p", { class: "small" }, h("a", { href: "/screen" }, t("lobby.screen"))),
    );
    return h(
      "page-lobby",
      { ref: this.root },
      h("h1", { class: "only-read" }, t("lobby.title")),
      h(
        "div",
        { class: `split ${lobby.known ? "" : "waiting"}` },
        h(
          "section",
          null,
          h("h2", null, n === 0 ? t("lobby.now") : t("lobby.now.n", { n })),
          lobby.known && leaders !== undefined && this.cards.length === 0 ? this.#welcome() : null,
          h("div", { class: "cards" }, this.cards.map((card) => h(MatchCard, { key: card.match.match, ...card }))),
        ),
        side,
      ),
    );
  }

  #welcome() {
    const { server, leaders } = this.state;
    // Matches are on, and nobody may see them.
    const hidden = leaders?.tournament.hides && leaders.tournament.state !== "completed";
    const { address, who } = connection(server, "", server?.guests === true);
    const lines = [installing(server), "palestra new mybot", `palestra join mybot/mybot.py --server ${address} ${who}`];
    return h(
      "div",
      { class: "card welcome" },
      h("div", { class: "greeting" }, h("div", null, h("h3", null, t(hidden ? "screen.hidden.on" : lobby.players.size === 0 ? "welcome.title" : "welcome.quiet")), h("p", null, t("welcome.what"))), yard()),
      hidden ? h("p", { class: "quiet" }, t("embargo")) : [h("p", { class: "quiet" }, t("welcome.empty")), h("pre", { tabindex: 0 }, command(lines.join("\n")))],
      h("div", { class: "row" }, h("a", { class: "button main", href: "/connect" }, t("nav.connect")), h("a", { class: "button", href: "/play" }, t("nav.play"))),
    );
  }
}

/** @param {Summary} match */
function recentRow(match) {
  const sentence = match.reason === "rules" ? `${gameName(match.game)}, ${t("ply.n", { n: match.plies })}` : ending(/** @type {any} */ (match));
  return h(
    "li",
    { key: match.match },
    h("a", { href: to.match(match.match) }, h("b", null, versus(match.players, score(match)))),
    h("div", { class: "quiet small" }, [sentence.replace(/\.$/, ""), clockTime(match.ended)].filter(Boolean).join(" · ")),
  );
}
