// @ts-check
// The first page: what is being played now, what just ended, who is here; or how to begin.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { clockTime, counted, dotted, ending, gameName, ruled, versus } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { connection, installing } from "../parts/connecting.js";
import { command } from "../parts/copy.js";
import { yard } from "../parts/empty.js";
import { leaderTable, loadLeaders } from "../parts/leaders.js";
import { MatchCard } from "../parts/match_card.js";
import { favourites } from "../parts/star.js";
import { fit } from "../parts/wall.js";
import { seat } from "../play_line.js";
import { about, session } from "../session.js";
import { createRef, h, section, select, View } from "../view.js";
/** @import { About, LiveMatch, LobbyEvent, Player, Result, Summary } from "../types.js" */

const LINGER_MS = 5000;
const RECENT = 8;
const FOOT_PX = 20;
const REFRESH_MS = { soon_ms: 600, apart_ms: 3000 };
const LEADERS_MS = { soon_ms: 2000, apart_ms: 15_000 };

// From so many matches on they can be chosen from by class group.
const GROUPED = 6;
// Boards that would be lower than this beside the column have the whole width.
const BESIDE_PX = 120;

/**
 * `groups`: the class group of each player; `game`, `group`: whose matches are shown, "" for all; `wall`: how large their boards are
 * @typedef {{server: About | null, recent: Summary[] | null, leaders: Awaited<ReturnType<typeof loadLeaders>> | undefined,
 *   groups: Map<string, string> | null, game: string, group: string, wall: import("../parts/wall.js").Wall & {below: boolean} | null}} State
 */

/** @extends {View<{}, State>} */
export default class LobbyPage extends View {
  /** @type {State} */
  state = { server: null, recent: null, leaders: undefined, groups: null, game: "", group: "", wall: null };
  split = createRef();
  /** For what the boards were fitted last. */
  measured = "";
  boards = createRef();
  /** @type {{match: LiveMatch, end: Pick<Result, "returns" | "reason"> | null}[]} the cards, in their places */
  cards = [];

  componentDidMount() {
    const known = new Set();
    const refresh = this.throttled(() => this.#loadRecent(), REFRESH_MS);
    const leaders = this.throttled(() => this.#loadLeaders(), LEADERS_MS);
    this.until(lobby.watch((event) => {
      // Another snapshot says that events were missed, results among them.
      if (event.type === "match_end" || (event.type === "snapshot" && known.has("snapshot"))) {
        leaders();
        refresh();
      }
      known.add(event.type);
      this.#place(event);
      this.redraw();
    }));
    this.every(1000, () => this.redraw());
    this.hear(favourites, "change", () => this.redraw());
    this.hear(session, "change", () => this.redraw());
    this.hear(seat, "change", () => this.redraw());
    this.hear(window, "resize", () => this.#measure());
    this.#loadRecent();
    this.#loadLeaders();
    about().then((server) => this.setState({ server }), () => {});
  }

  /** @param {{}} before @param {State} state @param {HTMLElement | null} focused */
  componentDidUpdate(before, state, focused) {
    super.componentDidUpdate(before, state, focused);
    this.#measure();
    if (this.state.groups === null && this.cards.length >= GROUPED) this.#loadGroups();
  }

  /** Fits the boards into what is seen of the page. */
  #measure() {
    const [split, boards] = [this.split.current, this.boards.current];
    if (split === null || boards === null) return;
    const shown = this.#shown();
    const flat = shown.filter(({ match }) => match.view?.kind === "pits").length;
    // Boards move many times a second, and to look at what is drawn costs the browser more than to draw it.
    const seen = [shown.length, flat, innerWidth, innerHeight, lobby.known, this.state.groups?.size, new Set(this.cards.map(({ match }) => match.game)).size].join();
    if (seen === this.measured) return;
    this.measured = seen;
    const width = split.clientWidth;
    const height = innerHeight - boards.getBoundingClientRect().top - scrollY - FOOT_PX;
    const column = 32 + 22.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const beside = width > 900 ? fit(shown.length, flat, width - column, height) : null;
    const below = beside === null || beside.board < BESIDE_PX;
    const wall = { ...(below ? fit(shown.length, flat, width, height) : beside), below };
    if (JSON.stringify(wall) !== JSON.stringify(this.state.wall)) this.setState({ wall });
  }

  async #loadGroups() {
    this.setState({ groups: new Map() });
    /** @type {{players: Player[]}} */
    const { players } = await get("/players").catch(() => ({ players: [] }));
    this.setState({ groups: new Map(players.map(({ name, group }) => [name, group ?? ""])) });
  }

  /** Whether a match comes before others: 2 for one's own, 1 for one of whom somebody follows. @param {LiveMatch} match */
  #pinned({ players }) {
    const me = session.now.player ?? seat.line?.player;
    return players.some((name) => name === me) ? 2 : Number(players.some((name) => favourites.names.has(name)));
  }

  /** The cards of what was chosen, one's own and the followed first. */
  #shown() {
    const { game, group, groups } = this.state;
    const wanted = this.cards.filter(({ match }) => (game === "" || match.game === game) && (group === "" || match.players.some((name) => groups?.get(name) === group)));
    return wanted.sort((a, b) => this.#pinned(b.match) - this.#pinned(a.match));
  }

  /** Choices that would change something. */
  #choices() {
    const { groups } = this.state;
    const matches = this.cards.map(({ match }) => match);
    const choice = (/** @type {"game" | "group"} */ name, /** @type {string[]} */ found, /** @type {(each: string) => string} */ say) => {
      const values = [...new Set([...found, this.state[name]])].filter((value) => value !== "").sort();
      if (values.length < 2 && this.state[name] === "") return null;
      return select(this.state[name], [["", t(`${name}.all`)], ...values.map((value) => /** @type {[string, string]} */ ([value, say(value)]))], (chosen) => this.setState({ [name]: chosen }), { "aria-label": t(name) });
    };
    const grouped = matches.flatMap(({ players }) => players.map((name) => groups?.get(name) ?? ""));
    return [choice("game", matches.map(({ game }) => game), gameName), choice("group", grouped, (group) => group)];
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
      setTimeout(() => {
        this.cards = this.cards.filter((each) => each !== over);
        this.redraw();
      }, LINGER_MS);
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
    const { recent, leaders, wall } = this.state;
    const shown = this.#shown();
    const n = lobby.matches.size;
    const names = [...lobby.players.keys()].sort((a, b) => a.localeCompare(b));
    // All at once, so that nothing moves while being read.
    const side = h(
      "div",
      { class: `stack later ${leaders === undefined ? "pending" : ""}` },
      leaderTable(leaders ?? null),
      section(t("lobby.recent"), h("ul", { class: "plainlist tight" }, recent?.length === 0 ? h("li", { class: "quiet" }, t("lobby.no.results")) : recent?.map(recentRow))),
      section(t("lobby.here"), h("ul", { class: "plainlist names" }, names.length === 0 ? h("li", { class: "quiet" }, t("lobby.nobody")) : names.map((name) => h("li", { key: name }, h("a", { href: to.player(name), title: name }, name))))),
      h("p", { class: "small" }, h("a", { href: "/screen" }, t("lobby.screen"))),
    );
    return h(
      "page-lobby",
      { ref: this.root },
      h("h1", { class: "only-read" }, t("lobby.title")),
      h(
        "div",
        { class: `split ${lobby.known ? "" : "waiting"} ${wall?.below ? "below" : ""}`, ref: this.split },
        h(
          "section",
          null,
          h("div", { class: "row apart choices" }, h("h2", null, n === 0 ? t("lobby.now") : t("lobby.now.n", { n })), h("div", { class: "row" }, this.#choices())),
          lobby.known && leaders !== undefined && this.cards.length === 0 ? this.#welcome() : null,
          shown.length === 0 && this.cards.length > 0 ? h("p", { class: "quiet" }, t("lobby.none.such")) : null,
          h(
            "div",
            { class: `cards wall ${wall?.dense ? "dense" : ""} ${shown.length > 1 ? "many" : ""}`, ref: this.boards, style: wall && { "--columns": String(wall.columns), "--board": `${wall.board}px`, "--span": String(Math.min(2, wall.columns)) } },
            shown.map((card) => h(MatchCard, { key: card.match.match, ...card, pinned: this.#pinned(card.match) > 0 })),
          ),
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
    h("a", { href: to.match(match.match) }, h("b", null, versus(match.players, counted(match)))),
    h("div", { class: "quiet small" }, dotted([ruled(match), sentence.replace(/\.$/, ""), clockTime(match.ended)])),
  );
}
