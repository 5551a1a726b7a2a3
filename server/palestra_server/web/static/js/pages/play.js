// @ts-check
// Play: a person against a bot or another person.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { Board } from "../board/board.js";
import { fill, h } from "../dom.js";
import { budget, gameName } from "../format.js";
import { remark, t, told } from "../i18n.js";
import { line } from "../line.js";
import { Table } from "../parts/table.js";
import { PlayLine, seat } from "../play_line.js";
import { about } from "../session.js";

/** @typedef {import("../types.js").About} About */

const UNLIMITED_MS = 3_600_000;
const OWN_S = [30, 10];
const NAME = "palestra-name";

class PlayPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    /** @type {PlayLine | null} */
    this.play = null;
    /** @type {Table | null} */
    this.table = null;
    /** @type {Map<string, {name: string, busy: boolean}>} */
    this.players = new Map();
    /** @type {{opening: string, action: number | undefined}} the hint at the end of the opening that was asked for last */
    this.expected = { opening: "", action: undefined };
    this.stop = () => {};
    /** @type {[string, (event: any) => void][]} */
    this.hears = [
      ["message", ({ detail }) => this.#take(detail)],
      ["lost", () => this.#tell(t("line.lost"), true)],
      ["closed", ({ detail }) => {
        this.play = null;
        this.#tell(detail || t("play.closed"), true);
        this.#showDoor();
      }],
    ];
  }

  async connectedCallback() {
    this.say = h("p", { class: "say", role: "status", hidden: true });
    this.body = h("div");
    this.append(this.say, this.body);
    try {
      this.server = await about();
    } catch {
      this.#tell(t("fault.unreachable"), true);
      return;
    }
    if (!this.isConnected) return;
    this.stop = line.watch("lobby", (event) => this.#lobby(event));
    const kept = PlayLine.kept();
    if (seat.line !== null) {
      this.#show(seat.line);
      seat.line.return();
    } else if (kept !== null) this.#connect({ resume: kept });
    else this.#showDoor();
  }

  disconnectedCallback() {
    this.stop();
    this.table?.close();
    if (this.play === null) return;
    for (const [type, hear] of this.hears) this.play.removeEventListener(type, hear);
    this.play.leave();
  }

  /** @param {string} text @param {boolean} [bad] */
  #tell(text, bad = false) {
    const say = /** @type {HTMLElement} */ (this.say);
    say.hidden = text === "";
    say.className = bad ? "say bad" : "say";
    say.textContent = text;
  }

  /** @param {any} event */
  #lobby(event) {
    if (event.type === "snapshot") this.players = new Map(event.players.map((/** @type {any} */ player) => [player.name, player]));
    else if (event.type === "player_joined") this.players.set(event.player, { name: event.player, busy: false });
    else if (event.type === "player_left") this.players.delete(event.player);
    else return;
    const me = this.play?.player ?? "";
    if (me !== "" && !this.players.has(me)) this.play?.left();
    this.#showOpponents();
  }

  // The door: under which name

  #showDoor() {
    const guests = this.server?.guests;
    const field = h("input", {
      name: "name", required: true, maxlength: 32, autocomplete: guests ? "nickname" : "off",
      type: guests ? "text" : "password", value: guests ? (localStorage.getItem(NAME) ?? "") : "",
    });
    const form = h(
      "form",
      { class: "card fields door" },
      h("h1", null, t("play.title")),
      h("p", null, t(guests ? "play.door" : "play.door.token")),
      h("label", null, t(guests ? "your.name" : "your.token"), field),
      h("button", { class: "main", type: "submit" }, t("play.enter")),
      h("p", { class: "small" }, h("a", { href: to.query("practice", { game: this.params.game ?? "connect4" }) }, t("practice.offer"))),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text === "") return;
      if (guests) localStorage.setItem(NAME, text);
      this.#connect(guests ? { name: text } : { token: text });
    });
    const other = seat.elsewhere;
    const back = other && h(
      "section",
      { class: "card fields door" },
      h("p", null, t("seat.elsewhere", { name: other.name })),
      h("button", { type: "button", class: "main", onclick: () => this.#connect({ resume: other.session }) }, t("seat.here")),
    );
    fill(/** @type {Element} */ (this.body), back, form);
  }

  /** @param {{name: string} | {token: string} | {resume: string}} who */
  #connect(who) {
    this.#tell("");
    this.#show(new PlayLine(who));
  }

  /** @param {PlayLine} play */
  #show(play) {
    this.play = play;
    play.shown = true;
    for (const [type, hear] of this.hears) play.addEventListener(type, hear);
  }

  /** @param {any} message */
  #take(message) {
    if (message.type === "welcome") {
      this.#tell("");
      if (this.table === null && message.matches.length === 0) this.#showRoom();
    } else if (message.type === "match_start") {
      this.#sit(message);
    } else if (message.type === "error") {
      this.#tell(told(message.code, message.message), true);
    } else if (message.type === "notice") {
      this.#tell(noticed(message));
    } else if (message.match === this.table?.start.match) {
      this.table?.take(message);
    }
  }

  // The room: against whom

  #showRoom() {
    this.table?.close();
    this.table = null;
    const opening = (this.params.opening ?? "").split(",").filter((text) => text !== "").map(Number);
    const games = this.server?.games ?? [];
    const wanted = this.params.game ?? "connect4";
    this.game = h("select", { name: "game" }, games.map(({ name }) => h("option", { value: name, selected: name === wanted }, gameName(name))));
    this.seat = h("select", { name: "seat" }, ["any", "0", "1"].map((seat) => h("option", { value: seat }, t(`seat.wish.${seat}`))));
    const limit = /** @type {any} */ (this.server)?.limits?.move_ms;
    const own = OWN_S.map((s) => [String(s), t("clock.mine.s", { s })]);
    const clocks = [["mine", t("clock.mine")], ...own, ["both", t("clock.both")], ["server", limit ? t("clock.server.s", { s: budget(limit) }) : t("clock.server")]];
    this.clock = h("select", { name: "clock" }, clocks.map(([value, text]) => h("option", { value }, text)));
    this.opponents = h("ul", { class: "plainlist tight opponents" });
    this.opening = opening;
    fill(
      /** @type {Element} */ (this.body),
      h(
        "div",
        { class: "split room" },
        h(
          "section",
          { class: "card" },
          h("h1", null, t("play.against")),
          opening.length > 0 ? h("p", { class: "quiet" }, t("play.opening", { n: opening.length })) : null,
          this.opponents,
        ),
        h(
          "div",
          { class: "stack" },
          opening.length > 0 ? this.#preview(wanted, opening) : null,
          h(
            "section",
            null,
            h("h2", null, t("play.how")),
            h(
              "form",
              { class: "card fields" },
              h("label", null, t("game"), this.game),
              h("label", null, t("seat"), this.seat),
              h("label", null, t("clock"), this.clock),
            ),
          ),
          h("p", { class: "quiet small" }, t("play.you", { name: this.play?.player ?? "" })),
          h("p", { class: "small" }, h("a", { href: to.query("practice", { game: wanted }) }, t("practice.offer"))),
        ),
      ),
    );
    if (opening.length > 0) this.game.disabled = true;
    this.#showOpponents();
  }

  /** @param {string} game @param {number[]} opening */
  #preview(game, opening) {
    const board = new Board();
    const box = h("section", { class: "card preview" }, board);
    get(`/games/${encodeURIComponent(game)}/view?actions=${opening.join(",")}`).then(
      ({ view }) => board.show(view),
      (error) => fill(box, h("p", { class: "say bad" }, error.message)),
    );
    return box;
  }

  #showOpponents() {
    if (!this.opponents?.isConnected) return;
    const levels = new Set(this.server?.levels ?? []);
    const others = [...this.players.values()].filter(({ name }) => name !== this.play?.player);
    others.sort((a, b) => Number(levels.has(b.name)) - Number(levels.has(a.name)) || a.name.localeCompare(b.name, undefined, { numeric: true }));
    const rows = others.map(({ name, busy }) =>
      h(
        "li",
        { class: "row apart" },
        h("span", null, h("b", null, name), " ", h("span", { class: "quiet small" }, [levels.has(name) ? t("reference") : "", busy ? t("busy") : ""].filter(Boolean).join(" · "))),
        h("button", { type: "button", "data-opponent": name, onclick: () => this.#challenge(name) }, t("challenge")),
      ),
    );
    fill(this.opponents, rows.length > 0 ? rows : h("li", { class: "quiet" }, t("play.nobody")));
  }

  /** @param {string} opponent */
  #challenge(opponent) {
    const seat = this.seat?.value === "any" ? null : Number(this.seat?.value);
    this.#send({ game: this.game?.value ?? "connect4", opponent, seat: /** @type {0 | 1 | null} */ (seat), opening: this.opening ?? [] });
  }

  /** @param {import("../parts/table.js").Wish} wish */
  #send({ game, opponent, seat, opening, expected }) {
    this.expected = { opening: opening.join(), action: expected };
    const clock = this.clock?.value ?? "mine";
    // Who has no clock must be known before the seats are: without a wish the coin falls here.
    const mine = seat ?? /** @type {0 | 1} */ (Math.floor(Math.random() * 2));
    const own = OWN_S.includes(Number(clock)) ? Number(clock) * 1000 : UNLIMITED_MS;
    const budgets = [0, 1].map((each) => (clock === "both" || each === mine ? own : null));
    this.#tell("");
    this.play?.send({
      type: "challenge", game, opponent, seat: mine, rated: false, wait: true,
      opening: opening.length > 0 ? opening : null,
      seat_ms: clock === "server" ? null : budgets,
    });
  }

  // The table

  /** @param {any} start */
  #sit(start) {
    if (this.table?.start.match === start.match) return;
    this.table?.close();
    this.#tell("");
    const table = new Table(/** @type {PlayLine} */ (this.play), start, start.opening.join() === this.expected.opening ? this.expected.action : undefined);
    this.table = table;
    table.addEventListener("again", (event) => this.#send(/** @type {CustomEvent} */ (event).detail));
    table.addEventListener("leave", () => this.#showRoom());
    fill(/** @type {Element} */ (this.body), table.element);
  }
}

/** A notice in the reader's language. @param {any} notice */
function noticed({ message, parts }) {
  if (!parts) return message;
  const { code, values } = parts;
  return remark({ message, code, values: "game" in values ? { ...values, game: gameName(values.game) } : values }, "notice");
}

customElements.define("page-play", PlayPage);
