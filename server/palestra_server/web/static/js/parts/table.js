// @ts-check
// The match that a person plays: board, clocks, hint, take-back, resignation, and what comes after.
import { to } from "../addresses.js";
import { Board } from "../board/board.js";
import { confirmed } from "../dialogs.js";
import { budget, ending, gameName, outcome, rule, score } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { lobby } from "../lobby_model.js";
import { MatchModel } from "../match_model.js";
import { sound, SoundButton } from "../sound.js";
import { createRef, h, View } from "../view.js";
import { SeatStrip } from "./seat.js";
/** @import { Seat } from "../types.js" */

/** @typedef {{game: string, opponent: string, seat: Seat | null, opening: number[], expected?: number}} Wish `expected`: the hint at the end of the opening */
/** @typedef {{match: string, game: string, seat: Seat, players: [string, string], opening: number[], move_ms: number, seat_ms: [number, number] | null}} Start a `match_start` */
/** @typedef {{match: string, ply: number, legal: number[]}} Turn */

const fingers = matchMedia("(pointer: coarse)");

/**
 * `expected`: what the opponent was known to expect at the end of the opening.
 * @typedef {{play: import("../play_line.js").PlayLine, start: Start, expected?: number, onAgain: (wish: Wish) => void, onLeave: (said?: string) => void}} Props
 */

/** @extends {View<Props>} */
export class Table extends View {
  model = new MatchModel();
  /** @type {Turn | null} the turn that waits for an answer */
  turn = null;
  /** @type {{type: "action", match: string, ply: number, action: number} | null} the latest answer, which may have been lost on its way */
  sent = null;
  /** @type {Wish | null} what to play once this match is over */
  next = null;
  /** @type {number | null} */
  hint = null;
  /** @type {string | null} said instead of whose turn it is */
  said = null;
  say = createRef();

  componentDidMount() {
    const { play, start } = this.props;
    this.hear(play, "message", ({ detail }) => detail.match === start.match && this.#take(detail));
    this.hear(line, "state", () => this.redraw());
    line.hurry(true);
    this.until(() => line.hurry(false));
    this.until(line.watch(`match:${start.match}`, (event) => this.#watch(event)));
    this.until(lobby.watch(({ type }) => type !== "played" && this.#whoIsHere()));
  }

  get seat() {
    return this.props.start.seat;
  }

  get opponent() {
    return this.props.start.players[1 - this.seat];
  }

  /** A message of /play about this match. @param {any} message */
  #take(message) {
    if (message.type === "turn") {
      // Asked again for what was answered: the answer was lost with the connection.
      if (this.sent !== null && this.sent.ply === message.ply) this.props.play.send(this.sent);
      else this.turn = message;
    } else if (message.type === "match_end") {
      this.turn = null;
      this.model.take(message);
      // On a phone the messages are above the board, and the players below it.
      this.setState({}, () => this.say.current?.scrollIntoView({ block: "nearest" }));
      if (this.next !== null) this.props.onAgain(this.next);
    } else if (message.type === "error" && this.model.result === null) {
      this.sent = null;
    } else return;
    this.said = null;
    this.redraw();
  }

  /** @param {any} event */
  #watch(event) {
    const { model } = this;
    if (!model.take(event)) return;
    sound.hear(event);
    // A challenge that came to nothing.
    if (model.result?.why?.code === "refused") this.props.onLeave(`${ending({ players: model.players, game: model.game, ...model.result })} ${t("asked.again")}`);
    this.hint = null;
    this.said = null;
    this.#whoIsHere();
  }

  #whoIsHere() {
    this.model.look(lobby);
    this.redraw();
  }

  /** @param {number} action */
  #choose(action) {
    if (this.turn === null) return;
    const { match, ply } = this.turn;
    this.sent = { type: "action", match, ply, action };
    this.turn = null;
    this.props.play.send(this.sent);
    this.redraw();
  }

  /** The answer that the opponent expects is in the line that it reported with its own move. */
  #giveHint() {
    const expected = this.#expectedAt(this.model.plies);
    const known = expected !== undefined && (this.turn?.legal ?? []).includes(expected);
    if (known) this.hint = expected;
    this.said = known ? t("hint.is", { name: this.opponent, move: this.model.nameOf(expected) }) : t("hint.none", { name: this.opponent });
    this.redraw();
  }

  /** What the opponent expects from this person after this many moves. @param {number} plies */
  #expectedAt(plies) {
    const last = this.model.moves[plies - 1];
    if (plies === this.props.start.opening.length) return this.props.expected;
    return last !== undefined && last.seat !== this.seat ? last.info?.pv?.[1] : undefined;
  }

  /** The actions up to this person's latest own move; null if there is none to take back. */
  #before() {
    const mine = this.model.moves.filter((move) => move.seat === this.seat && move.charged_ms !== null).at(-1);
    // An opening has at most 40 actions.
    return mine === undefined || mine.ply > 40 ? null : this.model.moves.slice(0, mine.ply).map((move) => move.action);
  }

  /** A match is never rewritten: this one counts for nobody, and a new one begins from the position before. */
  #takeBack() {
    const opening = this.#before();
    if (opening === null) return;
    this.next = { game: this.props.start.game, opponent: this.opponent, seat: this.seat, opening, expected: this.#expectedAt(opening.length) };
    this.props.play.resign(this.props.start.match, { takes_back: true });
  }

  async #resign() {
    if (await confirmed(t("resign.sure"), t("resign"))) this.props.play.resign(this.props.start.match);
  }

  /** Whether this person is to move, and sees the board to move on: the two come over two connections. */
  get mine() {
    return this.turn?.ply === this.model.plies && this.model.view !== undefined && this.model.result === null;
  }

  render() {
    const { model } = this;
    const { game } = this.props.start;
    return h(
      "div",
      { class: "match-left table" },
      h("h1", null, t("table.title", { game: gameName(game), opponent: this.opponent })),
      h("p", { class: `say ${this.mine || model.result !== null ? "" : "idle"}`, role: "status", ref: this.say }, this.#words()),
      h(
        "div",
        { class: "card match" },
        this.#strip(/** @type {Seat} */ (1 - this.seat)),
        h(
          "div",
          { class: "board-box" },
          h(Board, { view: model.view, before: model.views.at(-2), action: model.moves.at(-1)?.action, playable: this.mine, hint: this.hint, large: true, turned: this.seat === 1, onAction: (/** @type {number} */ action) => this.#choose(action) }),
        ),
        this.#strip(this.seat),
      ),
      h("div", { class: "stack" }, h("div", { class: "row" }, this.#tools()), h("p", { class: "quiet small" }, [rule(game), Math.max(...model.budgets) >= 3_600_000 ? t("clock.none.gone") : ""].join(" "))),
    );
  }

  /** @param {Seat} seat */
  #strip(seat) {
    const { model } = this;
    const time = model.budgets[seat];
    const clock = time >= 3_600_000 ? t("clock.none") : t("clock.each", { s: budget(time) });
    return h(SeatStrip, { model, seat, about: model.result === null ? clock : outcome(model.result, seat), mine: seat === this.seat, result: model.result });
  }

  #words() {
    const { model } = this;
    if (model.result !== null) {
      const { returns, reason, why } = model.result;
      const mine = returns[this.seat];
      const said = ending({ players: model.players, game: model.game, ...model.result });
      if (reason === "void") return said;
      const late = this.sent !== null && this.sent.ply === why?.ply && (reason === "timeout" || reason === "disconnect");
      return [h("b", null, `${t(mine > 0 ? "you.won" : mine < 0 ? "you.lost" : "you.drew")} ${score(model.result, this.seat)}. `), late ? `${t("move.late")} ` : null, said];
    }
    if (line.state === "lost" && this.sent?.ply === model.plies) return t("move.kept");
    if (this.said !== null) return this.said;
    if (this.mine) return t(fingers.matches ? "your.turn.touch" : "your.turn");
    if (model.clock === null) return t("table.wait");
    return t(model.gone_at[model.clock.seat] === null ? "their.turn" : "their.gone", { name: this.opponent });
  }

  #tools() {
    const { start, onAgain, onLeave } = this.props;
    const button = (/** @type {string} */ key, /** @type {() => void} */ act, disabled = false, main = false) => h("button", { key, type: "button", class: main ? "main" : null, onClick: act, disabled }, t(key));
    if (this.model.result === null) return [button("hint", () => this.#giveHint(), this.turn === null), button("take.back", () => this.#takeBack(), this.#before() === null), h(SoundButton, { key: "sound" }), h("button", { key: "resign", type: "button", class: "danger apart", onClick: () => this.#resign() }, t("resign"))];
    const again = (/** @type {Seat} */ seat) => () => onAgain({ game: start.game, opponent: this.opponent, opening: [...start.opening], seat });
    return [
      button("again", again(this.seat), false, true),
      button("again.swapped", again(/** @type {Seat} */ (1 - this.seat))),
      h("a", { class: "button", href: to.match(this.model.match) }, t("look.again")),
      button("back.to.room", () => onLeave()),
    ];
  }
}
