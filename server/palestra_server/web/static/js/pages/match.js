// @ts-check
// One match: watch it, go back and forth in it, understand it.
import { setQuery, to } from "../addresses.js";
import { asks, get } from "../api.js";
import { Board } from "../board/board.js";
import { allThreats, WINNING } from "../board/facts.js";
import { stepsOf } from "../board/motion.js";
import { saveFile } from "../dialogs.js";
import { budget, counted, dotted, ending, gameName, outcome, rule, tournamentName, versus } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { lobby } from "../lobby_model.js";
import { MatchModel } from "../match_model.js";
import { commentary, notation } from "../parts/commentary.js";
import { copyable, CopyButton } from "../parts/copy.js";
import { emptyCard } from "../parts/empty.js";
import { Evidence } from "../parts/evidence.js";
import { graph } from "../parts/graph.js";
import { Judged, Worth } from "../parts/judged.js";
import { MoveList } from "../parts/moves.js";
import { savePosition } from "../parts/position_file.js";
import { Reports } from "../parts/reports.js";
import { ruleButton, rulingsOn } from "../parts/rulings.js";
import { Scrubber } from "../parts/scrubber.js";
import { SeatStrip } from "../parts/seat.js";
import { session } from "../session.js";
import { sound, SoundButton } from "../sound.js";
import { tension } from "../tension.js";
import { h, View } from "../view.js";
/** @import { Analysis, LiveMatch, MatchFacts, Params, Result, Ruling, Seat } from "../types.js" */

const ASK_MS = 1000;
/** How long after its end a match may have been judged; then half as long again, and so on. */
const JUDGED_MS = 2000;
const JUDGED_MAX_MS = 60000;

/** @extends {View<{params: Params}>} */
export default class MatchPage extends View {
  model = new MatchModel();
  /** @type {number | null} the plies played at the position that is shown; null follows the match */
  at = null;
  /** @type {MatchFacts | null} */
  facts = null;
  /** @type {Ruling[]} */
  rulings = [];
  /** @type {string | null} who lost, if that was the leader, who had lost none before */
  first_loss = null;
  /** @type {Error | null} why no ruling was made */
  fault = null;
  /** @type {"missing" | "embargo" | null} why nothing is shown */
  none = null;
  /** @type {Analysis | null} what the judge says, once it has */
  analysis = null;
  /** @type {Map<number, string>} what bots noted beside their moves, by ply: for their players and the teacher */
  notes = new Map();
  /** Whether the teacher, whose screen the class may see, asked for them. */
  noted = false;
  /** @type {{ply: number, steps: import("../board/motion.js").Step[]} | null} a line that goes on from the position after so many plies */
  line = null;
  /** How often it was asked whether it is judged. */
  looks = 0;
  embargoed = false;
  asking = 0;
  asked = "";
  news = "";
  /** Whether the threats are drawn. */
  warned = false;
  /** Whether seat 1 sits below. */
  turned = false;

  componentDidMount() {
    const { id, ply } = this.props.params;
    if (ply !== undefined) this.at = Number(ply);
    this.hear(line, "refused", (/** @type {any} */ { detail }) => (detail.code === "try_later" ? (this.asking = setTimeout(anew, JUDGED_MS)) : this.#missing()));
    // What only some may see is requested again for the current visitor.
    this.hear(session, "change", () => (this.asked !== "" || this.embargoed ? anew() : this.#loadNotes()));
    this.until(line.watch(`match:${id}`, (event) => this.#take(event)));
    this.until(lobby.watch(({ type }) => type !== "played" && this.#whoIsHere()));
    this.until(() => clearTimeout(this.asking));
    this.#loadFacts();
  }

  get ruling() {
    return this.rulings.at(-1);
  }

  get path() {
    return `/matches/${encodeURIComponent(this.props.params.id)}`;
  }

  async #loadFacts() {
    clearTimeout(this.asking);
    this.facts = await get(this.path).catch((error) => {
      this.embargoed = error.code === "embargoed";
      return this.facts;
    });
    if (this.element === null) return;
    clearTimeout(this.asking);
    this.#loadNotes();
    if (this.facts?.tournament) this.#loadRulings();
    if (this.facts?.judged) this.#loadAnalysis();
    else if (this.facts?.judging || this.#justOver) this.asking = setTimeout(() => this.#loadFacts(), Math.min(JUDGED_MAX_MS, JUDGED_MS * 1.5 ** this.looks++));
    this.redraw();
  }

  /** Whether it has ended, and the server does not say so yet. */
  get #justOver() {
    return this.model.result !== null && !this.facts?.ended && !this.embargoed;
  }

  /** Goes to the position after so many plies, and draws a line on its board. @param {number} ply @param {number[]} actions */
  async #look(ply, actions) {
    this.line = null;
    this.#show(ply);
    this.element?.querySelector(".match")?.scrollIntoView({ block: "nearest" });
    const before = this.model.moves.slice(0, ply).map(({ action }) => action);
    const found = await get(`/games/${this.model.game}/view?actions=${[...before, ...actions]}`).catch(() => null);
    if (found === null) return;
    this.line = { ply, steps: stepsOf(found.views.slice(ply), actions) };
    this.redraw();
  }

  /** What the judge would have played where value was lost. @param {number} at */
  #better(at) {
    const move = this.analysis?.moves.find(({ ply }) => ply === at);
    return move !== undefined && (move.class === "slip" || move.class === "blunder") ? move.best : null;
  }

  async #loadNotes() {
    const { role, player } = session.now;
    const may = role === "teacher" ? this.noted : role === "player" && this.model.players.includes(player ?? "");
    const { notes } = may ? await get(`${this.path}/notes`).catch(() => ({ notes: [] })) : { notes: [] };
    this.notes = new Map(notes.map((/** @type {{ply: number, note: string}} */ { ply, note }) => [ply, note]));
    this.redraw();
  }

  async #loadAnalysis() {
    this.analysis = await get(`${this.path}/analysis`).catch(() => null);
    this.redraw();
  }

  async #loadRulings() {
    const { rulings, first_loss } = await get(`${this.path}/rulings`).catch(() => ({ rulings: [], first_loss: null }));
    Object.assign(this, { rulings, first_loss });
    this.redraw();
  }

  /** Nobody may watch it; the teacher, and who plays it, may ask for it. */
  async #missing() {
    if (this.model.match !== "") return;
    if (await this.#ask()) return;
    await this.#loadFacts();
    this.none = this.embargoed ? "embargo" : "missing";
    this.redraw();
  }

  /** @returns {Promise<boolean>} whether there is such a match for this person */
  async #ask() {
    const snapshot = await get(`${this.path}/snapshot`).catch(() => null);
    if (this.element === null) return true;
    // The same position again would only put its clock back.
    const now = snapshot && `${snapshot.actions.length} ${snapshot.clock === null} ${snapshot.result === null}`;
    if (snapshot !== null && now !== this.asked) {
      this.asked = now;
      this.#take(snapshot);
    }
    if (this.asked !== "" && this.model.result === null) {
      this.later(ASK_MS, () => this.#ask());
    }
    return this.asked !== "";
  }

  /** @param {any} event */
  #take(event) {
    const { model } = this;
    const fresh = model.match === "";
    const went = !fresh && model.result === null;
    if (!model.take(event)) return;
    sound.hear(event);
    this.#loadNotes();
    if (event.type === "played") this.news = t("move.said", { name: model.players[/** @type {Seat} */ (event.seat)], move: event.name });
    if (went && model.result !== null) this.#loadFacts();
    if (fresh && this.at !== null) {
      // A link to what is not played yet follows the match.
      const ahead = this.at > model.plies;
      this.at = ahead ? (model.result === null ? null : model.plies) : Math.max(0, Math.floor(this.at) || 0);
    }
    this.#whoIsHere();
  }

  #whoIsHere() {
    this.model.look(lobby);
    this.redraw();
  }

  /** To the position after so many plies; null follows the match. @param {number | null} ply */
  #show(ply) {
    this.at = ply === null || (this.model.result === null && ply >= this.model.plies) ? null : ply;
    setQuery(this.at === null ? {} : { ply: this.at });
    this.redraw();
  }

  render() {
    const { model, none } = this;
    const [first, second] = model.players;
    if (none !== null) return h("page-match", { ref: this.root }, h("div", { class: "card" }, this.#nothing(none)));
    if (model.match !== "") document.title = `${first} – ${second} · Palestra`;
    const at = Math.min(this.at ?? model.plies, model.plies);
    const view = model.views[at];
    const go = (/** @type {number | null} */ ply) => this.#show(ply);
    // A low board leaves room below it.
    const said = h("section", { class: "said later" }, h("h2", null, t("reports")), h(Reports, { model, at, analysis: this.analysis, onGo: go }));
    return h(
      "page-match",
      { ref: this.root },
      h("h1", { class: "only-read" }, model.match === "" ? "" : `${first} – ${second}, ${gameName(model.game)}`),
      h(
        "div",
        { class: `split match-page ${model.match === "" ? "waiting" : ""}` },
        h(
          "div",
          { class: "match-left" },
          h("div", { class: "card match" }, this.#strip(this.turned ? 0 : 1, at), h("div", { class: "board-box" }, h(Board, { view, before: model.views[at - 1], action: model.moves[at - 1]?.action, large: true, turned: this.turned, hint: this.line?.ply === at ? null : this.#better(at), line: this.line?.ply === at ? this.line.steps : undefined, threats: this.warned && view !== undefined ? allThreats(model.game, view) : undefined })), this.#strip(this.turned ? 1 : 0, at)),
          h("div", { class: "about-match quiet small later" }, h("p", null, this.#about(at)), h("p", null, rule(model.game))),
          this.analysis && h("section", { class: "later" }, h("h2", null, t("judged")), h(Judged, { model, analysis: this.analysis, onLook: (ply, actions) => this.#look(ply, actions) })),
          view?.kind === "pits" ? said : null,
        ),
        h(
          "div",
          { class: "stack" },
          model.result === null ? null : h("div", { class: "result" }, h("div", { class: "say" }, this.#ending(model.result)), h("div", { class: "rulings", "aria-live": "polite" }, this.#rulings()), this.analysis ? h("div", null, h("button", { type: "button", onClick: () => this.element?.querySelector(".judged")?.scrollIntoView() }, t("judged.why"))) : this.facts?.judging && h("p", { class: "quiet small", "aria-live": "polite" }, t("judging")), this.facts?.ended ? h(Evidence, { match: model.match, players: model.players }) : null, this.#next()),
          h(
            "section",
            { class: "replay later" },
            h("h2", null, t("moves")),
            h(
              "div",
              { class: "card" },
              h(Scrubber, { at, last: model.plies, running: model.result === null, following: this.at === null, word: at > 0 ? t("move.said", { name: model.players[model.moves[at - 1].seat], move: model.moves[at - 1].name }) : "", onGo: go }),
              h("p", { class: "commentary" }, commentary(model, at, this.first_loss)),
              this.notes.has(at - 1) ? h("p", { class: "small" }, t("note", { name: model.players[model.moves[at - 1].seat], note: this.notes.get(at - 1) ?? "" })) : null,
              this.analysis && h(Worth, { model, analysis: this.analysis, at }),
              graph(model, at, this.analysis, go),
              h(MoveList, { model, at, analysis: this.analysis, notes: this.notes, onGo: go }),
            ),
          ),
          view?.kind === "pits" ? null : said,
          h("div", { class: "row" }, this.#tools(at)),
          h("details", { class: "small later" }, h("summary", { class: "quiet" }, t("embed")), h("p", { class: "quiet" }, t("embed.what")), copyable(frame(model))),
        ),
      ),
      h("p", { class: "only-read", "aria-live": "polite" }, this.news),
    );
  }

  /** @param {"missing" | "embargo"} why */
  #nothing(why) {
    const show = () => {
      asks.hidden = true;
      anew();
    };
    return [
      emptyCard(h("p", { class: "say bad" }, t(why === "embargo" ? "embargo" : "match.missing")), "", ["/", t("nav.live")], ["/players", t("nav.players")]),
      why === "embargo" && session.now.role === "teacher" ? h("button", { type: "button", class: "hidden-too", onClick: show }, t("hidden.show")) : null,
    ];
  }

  /** Before the last move nobody has won yet. @param {Seat} seat @param {number} at */
  #strip(seat, at) {
    const { model } = this;
    const result = at === model.plies ? (this.ruling ?? model.result) : null;
    const word = result === null ? t(`seat.${seat}`) : outcome(result, seat);
    const version = model.versions[seat];
    return h(SeatStrip, { model, seat, about: version === "" ? word : `${t("version")} ${version} · ${word}`, result });
  }

  #rulings() {
    const { facts, fault } = this;
    const done = (/** @type {Error | null} */ wrong) => {
      this.fault = wrong;
      this.#loadRulings();
    };
    return [
      rulingsOn(this.rulings),
      session.now.runs && facts?.tournament && facts.ended ? ruleButton({ match: facts.match, players: facts.players, tournament: facts.tournament }, done) : null,
      fault === null ? null : h("p", { class: "say bad" }, fault.message || t("fault.unreachable")),
    ];
  }

  /** @param {number} at */
  #about(at) {
    const { model } = this;
    const facts = [t("ply.of", { n: at, all: model.plies }), gameName(model.game), model.opening > 0 ? t("opening.n", { n: model.opening }) : null, this.#budget(), model.rated ? t("rated") : null];
    return [dotted(facts), model.tournament ? [" · ", h("a", { href: to.tournament(model.tournament) }, tournamentName(model))] : null];
  }

  /** Once it is over: what to watch on with, first a match of the same two, then one of either, then the tensest of those that somebody plays. */
  #next() {
    const { players, match } = this.model;
    const known = (/** @type {LiveMatch} */ one) => one.players.filter((name) => players.includes(name)).length;
    const worth = (/** @type {LiveMatch} */ one) => 3 * known(one) + tension(one);
    const played = (/** @type {LiveMatch} */ one) => one.players.some((name) => lobby.players.has(name));
    const best = [...lobby.matches.values()].filter((one) => one.match !== match && played(one)).sort((a, b) => worth(b) - worth(a))[0];
    return best && h("a", { class: "button next", href: to.match(best.match) }, h("span", null, t("watch.on")), h("b", null, versus(best.players, "–")), h("span", { class: "quiet small" }, gameName(best.game)));
  }

  #budget() {
    const { budgets, players } = this.model;
    const [first, second] = budgets;
    if (first >= 3_600_000 && second >= 3_600_000) return t("clock.none");
    if (first >= 3_600_000 || second >= 3_600_000) return t("clock.one", { name: players[first < second ? 0 : 1], s: budget(Math.min(first, second)) });
    return first === second ? t("clock.each", { s: budget(first) }) : t("clock.two", { a: budget(first), b: budget(second) });
  }

  /** @param {Result} result */
  #ending(result) {
    const { players, game } = this.model;
    const receipt = result.receipt ?? this.facts?.receipt;
    return [
      h("b", null, versus(players, counted({ ...result, ruling: this.ruling }))),
      h("span", { class: "ending" }, ending({ players, game, ...result, why: result.why === undefined ? this.facts?.why : result.why })),
      receipt ? h("details", { class: "small" }, h("summary", { class: "quiet" }, t("receipt")), h("code", { class: "receipt" }, receipt), h("p", { class: "quiet" }, t("receipt.what"))) : null,
    ];
  }

  /** @param {number} at */
  #tools(at) {
    const { match, game, players, moves, views, result } = this.model;
    const opening = moves.slice(0, at).map((move) => move.action).join(",");
    const toggle = (/** @type {"turned" | "warned" | "noted"} */ what, /** @type {string} */ word) => {
      const flip = () => {
        this[what] = !this[what];
        if (what === "noted") this.#loadNotes();
        this.redraw();
      };
      return h("button", { type: "button", "aria-pressed": String(this[what]), onClick: flip }, t(word));
    };
    const text = notation(this.model, this.first_loss, this.ruling);
    const position = () => savePosition(/** @type {SVGElement} */ (this.element?.querySelector("pal-board svg")), `${match}-${at}.svg`);
    return [
      toggle("turned", "board.turn"),
      WINNING.includes(game) ? toggle("warned", "threats.show") : null,
      session.now.role === "teacher" ? toggle("noted", "notes.show") : null,
      h(CopyButton, { text, label: t("notation.copy") }),
      h("button", { type: "button", onClick: () => saveFile(`${match}.txt`, text, "text/plain") }, t("notation.save")),
      h("button", { type: "button", onClick: position }, t("position.save")),
      h("a", { class: "button", href: to.player(players[0], players[1]) }, t("head.to.head")),
      h(CopyButton, { text: location.origin + to.match(match, this.at ?? undefined), label: t("link.copy") }),
      result === null ? h(SoundButton, null) : null,
      result === null ? null : h("a", { class: "button", href: `/api/v1${this.path}/record`, download: `${match}.jsonl` }, t("record.get")),
      views[at]?.returns === null ? h("a", { class: "button", href: to.query("play", { game, opening }) }, t("continue.here")) : null,
    ];
  }
}

/** What shows a match in a page of another site. @param {MatchModel} model */
function frame({ match, players }) {
  const title = players.join(" – ").replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<iframe src="${location.origin}${to.embedded(match)}" title="${title}" width="480" height="600" loading="lazy"></iframe>`;
}

/** Opens this page again, for whoever looks at it now. */
function anew() {
  dispatchEvent(new PopStateEvent("popstate"));
}
