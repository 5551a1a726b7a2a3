// @ts-check
// Play: a person against a bot or another person.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { Board } from "../board/board.js";
import { budget, dotted, gameName } from "../format.js";
import { remark, t, told } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { lobby } from "../lobby_model.js";
import { yard } from "../parts/empty.js";
import { Table } from "../parts/table.js";
import { PlayLine, seat } from "../play_line.js";
import { about } from "../session.js";
import { createRef, h, select, submitted, View } from "../view.js";
/** @import { Start, Wish } from "../parts/table.js" */
/** @import { About, Params, Seat } from "../types.js" */

const UNLIMITED_MS = 3_600_000;
const OWN_S = [30, 10];
const NAME = "name";

/**
 * `say`: what is told above everything; `start`: the match at the table; `wanted`: who was chosen at the door.
 * @typedef {{server: About | null, say: {text: string, bad: boolean} | null, start: Start | null, game: string, seat: string, clock: string, wanted: string}} State
 */

/** @extends {View<{params: Params}, State>} */
export default class PlayPage extends View {
  /** @type {State} */
  state = { server: null, say: null, start: null, game: this.props.params.game ?? "connect4", seat: "any", clock: "mine", wanted: "" };
  /** @type {PlayLine | null} */
  play = null;
  form = createRef();
  opening = (this.props.params.opening ?? "").split(",").filter((text) => text !== "").map(Number);
  /** @type {{opening: string, action: number | undefined}} the hint at the end of the opening that was asked for last */
  expected = { opening: "", action: undefined };

  async componentDidMount() {
    this.until(() => this.play?.leave());
    this.until(lobby.watch(({ type }) => type !== "played" && this.#hear()));
    try {
      this.setState({ server: await about() });
    } catch {
      this.#tell(t("fault.unreachable"), true);
      return;
    }
    if (this.element === null) return;
    const kept = PlayLine.kept();
    if (seat.line !== null) {
      this.#use(seat.line);
      seat.line.return();
    } else if (kept !== null) this.#connect({ resume: kept });
  }

  /** @param {string} text @param {boolean} [bad] */
  #tell(text, bad = false) {
    this.setState({ say: text === "" ? null : { text, bad } });
  }

  /** Somebody came or went. */
  #hear() {
    const me = this.play?.player ?? "";
    if (me !== "" && lobby.known && !lobby.players.has(me)) this.play?.left();
    this.redraw();
  }

  /** @param {{name: string} | {token: string} | {resume: string, match?: string}} who */
  #connect(who) {
    this.#tell("");
    this.#use(new PlayLine(who));
  }

  /** @param {PlayLine} play */
  #use(play) {
    this.play = play;
    play.shown = true;
    this.hear(play, "message", ({ detail }) => this.#take(detail));
    this.hear(play, "lost", () => this.#tell(t("line.lost"), true));
    this.hear(play, "closed", ({ detail }) => {
      this.play = null;
      this.setState({ start: null });
      this.#tell(detail || t("play.closed"), true);
    });
    this.redraw();
  }

  /** @param {any} message */
  #take(message) {
    const { wanted } = this.state;
    if (message.type === "welcome") {
      this.#tell("");
      if (wanted !== "") this.setState({ wanted: "" }, () => this.#ask(wanted));
    }
    else if (message.type === "match_start") this.setState({ start: message, say: null });
    // What came after the end of a match needs no word but how it ended.
    else if (message.type === "error" && message.code !== "unknown_match") this.#tell(told(message.code, message.message), true);
    else if (message.type === "notice") this.#tell(noticed(message));
  }

  /** Challenges as it is chosen here. @param {string} opponent */
  #ask(opponent) {
    const { game, seat: wish } = this.state;
    this.#challenge({ game, opponent, seat: wish === "any" ? null : /** @type {Seat} */ (Number(wish)), opening: this.opening });
  }

  /** At the door a name is all that is missing; one that is known from before is enough. @param {string} opponent */
  #want(opponent) {
    const form = /** @type {HTMLFormElement} */ (this.form.current);
    const enter = () => (form.checkValidity() ? form.requestSubmit() : /** @type {HTMLElement} */ (form.elements[0]).focus());
    this.setState({ wanted: opponent }, enter);
  }

  /** @param {Wish} wish */
  #challenge({ game, opponent, seat: wish, opening, expected }) {
    this.expected = { opening: opening.join(), action: expected };
    const { clock } = this.state;
    // Who has no clock must be known before the seats are: without a wish the coin falls here.
    const mine = wish ?? Math.floor(Math.random() * 2);
    const own = OWN_S.includes(Number(clock)) ? Number(clock) * 1000 : UNLIMITED_MS;
    // Two people have the same.
    const both = clock === "both" || lobby.players.get(opponent)?.person === true;
    const budgets = [0, 1].map((each) => (both || each === mine ? own : null));
    this.#tell("");
    this.play?.challenge({
      game, opponent, seat: mine, rated: false, wait: true,
      opening: opening.length > 0 ? opening : null,
      seat_ms: clock === "server" ? null : budgets,
    });
  }

  render() {
    const { say } = this.state;
    return h("page-play", { ref: this.root }, h("p", { class: `say ${say?.bad ? "bad" : ""}`, role: "status", hidden: say === null }, say?.text), this.#body());
  }

  #body() {
    const { server, start } = this.state;
    const { play } = this;
    if (server === null) return null;
    if (play === null) return this.#door(server);
    if (start !== null && play.question === start.match) return this.#question(start);
    if (start !== null) {
      const expected = start.opening.join() === this.expected.opening ? this.expected.action : undefined;
      return h(Table, { key: start.match, play, start, expected, onAgain: (/** @type {Wish} */ wish) => this.#challenge(wish), onLeave: (/** @type {string | undefined} */ said) => this.setState({ start: null, say: said === undefined ? null : { text: said, bad: true } }) });
    }
    return play.player === "" || seat.match !== null ? null : this.#room(server);
  }

  /** The door: under which name, and who can be met. @param {About} server */
  #door(server) {
    const { guests } = server;
    const { wanted } = this.state;
    const enter = submitted(({ name: text }) => {
      if (text === "") return;
      if (guests) keep(NAME, text);
      this.#connect(guests ? { name: text } : { token: text });
    });
    const other = seat.elsewhere;
    return [
      other && h(
        "section",
        { class: "card fields door" },
        h("p", null, t("seat.elsewhere", { name: other.name })),
        h("button", { type: "button", class: "main", onClick: () => this.#connect({ resume: other.session, match: other.match }) }, t("seat.here")),
      ),
      h(
        "div",
        { class: "split at-door" },
        h(
          "form",
          { class: "card fields door", onSubmit: enter, ref: this.form },
          yard(),
          h("h1", null, t("play.title")),
          h("p", null, t(guests ? "play.door" : "play.door.token")),
          h(
            "label",
            null,
            t(guests ? "your.name" : "your.token"),
            h("input", { name: "name", required: true, maxlength: guests ? 32 : 256, autocomplete: guests ? "nickname" : "off", type: guests ? "text" : "password", defaultValue: guests ? (kept(NAME) ?? "") : "" }),
          ),
          h("button", { class: "main", type: "submit" }, wanted === "" ? t("play.enter") : t("play.enter.against", { name: wanted })),
          h("p", { class: "small" }, h("a", { href: to.query("practice", { game: this.state.game }) }, t("practice.offer"))),
        ),
        h("section", { class: "card" }, h("div", { class: "row apart" }, h("h2", null, t("lobby.here")), this.#games(server, { "aria-label": t("game") })), h("ul", { class: "plainlist tight opponents" }, this.#opponents(server))),
      ),
    ];
  }

  /** Somebody wants to play. @param {Start} start */
  #question({ match, game, seat: mine, players, seat_ms, move_ms, opening }) {
    const name = players[1 - mine];
    const time = seat_ms?.[mine] ?? move_ms;
    const facts = [gameName(game), t(`seat.wish.${mine}`), time >= UNLIMITED_MS ? t("clock.none") : t("clock.each", { s: budget(time) }), opening.length > 0 ? t("play.opening", { n: opening.length }) : null];
    const decline = (may = true) => {
      this.play?.decline(may);
      this.setState({ start: null });
    };
    const accept = () => {
      this.play?.accept(match);
      this.redraw();
    };
    return h(
      "section",
      { class: "card door asked", role: "alertdialog", "aria-label": t("asked", { name }) },
      h("h1", null, t("asked", { name })),
      h("p", null, dotted(facts)),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "main", onClick: accept }, t("asked.accept")),
        h("button", { type: "button", onClick: () => decline() }, t("asked.decline")),
        h("button", { type: "button", onClick: () => decline(false) }, t("asked.later")),
      ),
      h("p", { class: "quiet small" }, t("asked.what", { name })),
    );
  }

  /** The room: against whom. @param {About} server */
  #room(server) {
    const { opening } = this;
    const { game } = this.state;
    const limit = server.limits?.move_ms;
    const clocks = /** @type {[string, string][]} */ ([["mine", t("clock.mine")], ...OWN_S.map((s) => [String(s), t("clock.mine.s", { s: budget(1000 * s) })]), ["both", t("clock.both")], ["server", limit ? t("clock.server.s", { s: budget(limit) }) : t("clock.server")]]);
    const choice = (/** @type {"seat" | "clock"} */ name, /** @type {[string, string][]} */ options) => h("label", null, t(name), select(this.state[name], options, (chosen) => this.setState({ [name]: chosen }), { name }));
    return h(
      "div",
      { class: "split room" },
      h(
        "section",
        { class: "card" },
        h("h1", null, t("play.against")),
        opening.length > 0 ? h("p", { class: "quiet" }, t("play.opening", { n: opening.length })) : null,
        h("ul", { class: "plainlist tight opponents" }, this.#opponents(server)),
      ),
      h(
        "div",
        { class: "stack" },
        opening.length > 0 ? h(Preview, { game, opening }) : null,
        h(
          "section",
          null,
          h("h2", null, t("play.how")),
          h(
            "form",
            { class: "card fields" },
            h("label", null, t("game"), this.#games(server)),
            choice("seat", ["any", "0", "1"].map((each) => /** @type {[string, string]} */ ([each, t(`seat.wish.${each}`)]))),
            choice("clock", clocks),
            h("p", { class: "quiet small" }, t("clock.people")),
          ),
        ),
        h("p", { class: "quiet small" }, t("play.you", { name: this.play?.player ?? "" })),
        h("label", { class: "inline" }, h("input", { type: "checkbox", checked: this.play?.challenges, onChange: (/** @type {Event} */ { currentTarget }) => this.play?.allow(/** @type {HTMLInputElement} */ (currentTarget).checked) }), t("play.challenges")),
        h("p", { class: "small" }, h("a", { href: to.query("practice", { game }) }, t("practice.offer"))),
      ),
    );
  }

  /** Which game; one that is continued stays what it is. @param {About} server @param {Record<string, unknown>} [attributes] */
  #games(server, attributes = {}) {
    const games = server.games.map(({ name }) => /** @type {[string, string]} */ ([name, gameName(name)]));
    return select(this.state.game, games, (game) => this.setState({ game }), { name: "game", disabled: this.opening.length > 0, ...attributes });
  }

  /** @param {About} server */
  #opponents(server) {
    const levels = new Set(server.levels);
    const others = [...lobby.players.values()].filter(({ name }) => name !== this.play?.player);
    if (others.length === 0) return h("li", { class: "quiet" }, t("play.nobody"));
    others.sort((a, b) => Number(levels.has(b.name)) - Number(levels.has(a.name)) || a.name.localeCompare(b.name, undefined, { numeric: true }));
    return others.map(({ name, busy }) =>
      h(
        "li",
        { key: name, class: "row apart" },
        h("span", null, h("b", null, name), " ", h("span", { class: "quiet small" }, dotted([levels.has(name) ? t("reference") : "", busy ? t("busy") : ""]))),
        h("button", { type: "button", "data-opponent": name, onClick: () => (this.play === null ? this.#want(name) : this.#ask(name)) }, t("challenge")),
      ),
    );
  }
}

/** The position that an opening leads to. @extends {View<{game: string, opening: number[]}, {view: import("../types.js").View | null, fault: string | null}>} */
class Preview extends View {
  /** @type {{view: import("../types.js").View | null, fault: string | null}} */
  state = { view: null, fault: null };

  componentDidMount() {
    const { game, opening } = this.props;
    get(`/games/${encodeURIComponent(game)}/view?actions=${opening.join(",")}`).then(({ view }) => this.setState({ view }), (error) => this.setState({ fault: error.message }));
  }

  render() {
    const { view, fault } = this.state;
    return h("section", { class: "card preview" }, fault === null ? h(Board, { view }) : h("p", { class: "say bad" }, fault));
  }
}

/** A notice in the reader's language. @param {any} notice */
function noticed({ message, parts }) {
  if (!parts) return message;
  const { code, values } = parts;
  return remark({ message, code, values: "game" in values ? { ...values, game: gameName(values.game) } : values }, "notice");
}
