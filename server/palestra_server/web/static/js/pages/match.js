// @ts-check
// One match: watch it, go back and forth in it, understand it.
import { setQuery, to } from "../addresses.js";
import { asks, get } from "../api.js";
import { Board } from "../board/board.js";
import { copyButton, fill, h } from "../dom.js";
import { budget, ending, gameName, outcome, rule, score, tournamentName, versus } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { MatchModel } from "../match_model.js";
import { setClocks } from "../parts/clock.js";
import { emptyCard } from "../parts/empty.js";
import { evidence } from "../parts/evidence.js";
import { MoveList } from "../parts/moves.js";
import { Reports } from "../parts/reports.js";
import { ruleButton, rulingsOn } from "../parts/rulings.js";
import { Scrubber } from "../parts/scrubber.js";
import { SeatStrip } from "../parts/seat.js";
import { session } from "../session.js";
import { tension } from "../tension.js";

/** @typedef {import("../types.js").Seat} Seat */

const ASK_MS = 1000;

class MatchPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.model = new MatchModel();
    /** @type {number | null} the plies played at the position that is shown; null follows the match */
    this.at = null;
    this.shown = -1;
    /** @type {import("../types.js").View | null} */
    this.drawn = null;
    /** @type {any} what the API adds: round, times */
    this.more = null;
    this.embargoed = false;
    this.asking = 0;
    this.asked = "";
    this.online = new Set();
    /** @type {Map<string, any>} what else is being played */
    this.others = new Map();
    /** @type {(() => void)[]} */
    this.stops = [];
  }

  connectedCallback() {
    const scrubber = new Scrubber();
    const go = (/** @type {number} */ ply) => scrubber.go(ply);
    this.strips = [new SeatStrip(0), new SeatStrip(1)];
    this.board = new Board({ turns: true });
    this.reports = new Reports(go);
    this.moves = new MoveList(go);
    this.scrubber = scrubber;
    this.scrubber.addEventListener("go", (event) => this.#goTo(/** @type {CustomEvent} */ (event).detail));
    this.scrubber.addEventListener("live", () => this.#goTo(null));
    this.heading = h("h1", { class: "only-read" });
    this.end = h("div", { class: "say" });
    this.ruled = h("div", { class: "rulings", "aria-live": "polite" });
    this.proof = h("div");
    this.about = h("p");
    this.rule = h("p");
    this.news = h("p", { class: "only-read", "aria-live": "polite" });
    this.tools = h("div", { class: "row" });
    this.next = h("a", { class: "button next", hidden: true });
    this.result = h("div", { class: "result", hidden: true }, this.end, this.ruled, this.proof, this.next);
    this.fault = h("p", { class: "say bad", hidden: true });
    const left = h(
      "div",
      { class: "match-left" },
      h("div", { class: "card match" }, this.strips[1].element, h("div", { class: "board-box" }, this.board), this.strips[0].element),
      h("div", { class: "about-match quiet small later" }, this.about, this.rule),
    );
    const right = h(
      "div",
      { class: "stack" },
      this.result,
      h("section", { class: "replay later" }, h("h2", null, t("moves")), h("div", { class: "card" }, this.scrubber.element, this.moves.element)),
      h("section", { class: "said later" }, h("h2", null, t("reports")), this.reports.element),
      this.tools,
    );
    this.body = h("div", { class: "split match-page waiting" }, left, right);
    this.append(this.heading, this.fault, this.body, this.news);
    if ("ply" in this.params) this.at = Number(this.params.ply);
    const keys = (/** @type {KeyboardEvent} */ event) => this.scrubber?.key(event);
    document.addEventListener("keydown", keys);
    const refused = () => this.#missing();
    line.addEventListener("refused", refused);
    // What only some may see is requested again for the current visitor.
    const changed = () => (this.asked !== "" || this.embargoed) && this.#anew();
    session.addEventListener("change", changed);
    this.stops = [
      line.watch(`match:${this.params.id}`, (event) => this.#take(event)),
      line.watch("lobby", (event) => this.#whoIsHere(event)),
      () => document.removeEventListener("keydown", keys),
      () => line.removeEventListener("refused", refused),
      () => session.removeEventListener("change", changed),
    ];
    this.#loadMore();
  }

  disconnectedCallback() {
    this.scrubber?.halt();
    clearTimeout(this.asking);
    for (const stop of this.stops) stop();
  }

  /** Opens this page again, for whoever looks at it now. */
  #anew() {
    dispatchEvent(new PopStateEvent("popstate"));
  }

  #showHidden() {
    asks.hidden = true;
    this.#anew();
  }

  async #loadMore() {
    this.more = await get(`/matches/${encodeURIComponent(this.params.id)}`).catch((error) => {
      this.embargoed = error.code === "embargoed";
      return null;
    });
    if (this.model.match !== "") this.#show();
    if (this.more?.tournament) this.#loadRulings();
    if (this.more?.ended) fill(/** @type {Element} */ (this.proof), evidence(this.params.id, this.more.players));
    return this.more;
  }

  /** @param {unknown} [fault] why no ruling was made */
  async #loadRulings(fault = null) {
    const { rulings } = await get(`/matches/${encodeURIComponent(this.params.id)}/rulings`).catch(() => ({ rulings: [] }));
    const may = session.now.role === "teacher" && this.more.ended !== null;
    fill(
      /** @type {Element} */ (this.ruled),
      rulingsOn(rulings),
      may ? ruleButton(this.more, (/** @type {unknown} */ wrong) => this.#loadRulings(wrong)) : null,
      fault === null ? null : h("p", { class: "say bad" }, /** @type {Error} */ (fault).message || t("fault.unreachable")),
    );
  }

  /** Nobody may watch it; the teacher, and who plays it, may ask for it. */
  async #missing() {
    if (this.model.match !== "") return;
    if (await this.#ask()) return;
    await this.#loadMore();
    const fault = /** @type {HTMLElement} */ (this.fault);
    fault.hidden = false;
    fault.textContent = t(this.embargoed ? "embargo" : "match.missing");
    const card = h("div", { class: "card" });
    fault.replaceWith(card);
    card.append(emptyCard(fault, "", ["/", t("nav.live")], ["/players", t("nav.players")]));
    if (this.embargoed && session.now.role === "teacher") card.append(h("button", { type: "button", class: "hidden-too", onclick: () => this.#showHidden() }, t("hidden.show")));
    /** @type {HTMLElement} */ (this.body).hidden = true;
  }

  /** @returns {Promise<boolean>} whether there is such a match for this person */
  async #ask() {
    const snapshot = await get(`/matches/${encodeURIComponent(this.params.id)}/snapshot`).catch(() => null);
    if (!this.isConnected) return true;
    // The same position again would only put its clock back.
    const now = snapshot && `${snapshot.actions.length} ${snapshot.clock === null} ${snapshot.result === null}`;
    if (snapshot !== null && now !== this.asked) {
      this.asked = now;
      this.#take(snapshot);
    }
    if (this.asked !== "" && this.model.result === null) this.asking = setTimeout(() => this.#ask(), ASK_MS);
    return this.asked !== "";
  }

  /** @param {any} event */
  #take(event) {
    const fresh = this.model.match === "";
    if (!this.model.take(event)) return;
    if (event.type === "played") this.#tell(event);
    if (event.type === "match_end") this.#loadMore();
    if (this.model.result !== null) this.#showNext();
    if (fresh && this.at !== null) {
      // A link to what is not played yet follows the match.
      const ahead = this.at > this.model.plies;
      this.at = ahead ? (this.model.result === null ? null : this.model.plies) : Math.max(0, Math.floor(this.at) || 0);
    }
    this.body?.classList.remove("waiting");
    this.#show();
    this.#showClocks();
  }

  /** @param {any} event */
  #whoIsHere(event) {
    if (event.type === "snapshot") this.others = new Map(event.matches.map((/** @type {any} */ match) => [match.match, match]));
    else if (event.type === "match_start") this.others.set(event.match, event);
    else if (event.type === "match_end") this.others.delete(event.match);
    else if (event.type === "played") Object.assign(this.others.get(event.match) ?? {}, event);
    if (["snapshot", "match_start", "match_end"].includes(event.type)) this.#showNext();
    if (event.type === "snapshot") this.online = new Set(event.players.map((/** @type {any} */ player) => player.name));
    else if (event.type === "player_joined") this.online.add(event.player);
    else if (event.type === "player_left") this.online.delete(event.player);
    else return;
    if (this.model.match === "") return;
    this.#showNames();
    const mover = this.model.clock?.seat;
    if (mover !== undefined && (event.type === "snapshot" || event.player === this.model.players[mover])) this.#showClocks();
  }

  /** Whether the server waits for a lost connection. @param {Seat} seat */
  #gone(seat) {
    return this.model.result === null && this.online.size > 0 && !this.online.has(this.model.players[seat]);
  }

  /** @param {any} event */
  #tell(event) {
    /** @type {HTMLElement} */ (this.news).textContent = t("move.said", { name: this.model.players[/** @type {Seat} */ (event.seat)], move: event.name });
  }

  /** @param {number | null} ply */
  #goTo(ply) {
    const live = this.model.result === null;
    this.at = ply === null || (live && ply >= this.model.plies) ? null : ply;
    setQuery(this.at === null ? {} : { ply: this.at });
    this.#show();
  }

  #show() {
    const { model } = this;
    const at = this.at ?? model.plies;
    const view = model.views[at];
    if (view === undefined || !this.board || !this.scrubber) return;
    if (this.shown !== at || this.drawn !== view) {
      const step = at - this.shown;
      this.board.show(view, { before: model.views[at - 1] ?? null, action: model.moves[at - 1]?.action ?? null, animate: step === 1 && this.shown >= 0 });
      this.shown = at;
      this.drawn = view;
    }
    this.reports?.show(model, at);
    this.moves?.show(model, at);
    this.scrubber.show(at, model.plies, model.result === null, this.at === null);
    this.#showNames();
    this.#showText(at);
  }

  #showNames() {
    const { model } = this;
    for (const seat of /** @type {const} */ ([0, 1])) {
      const name = model.players[seat];
      const waits = this.#gone(seat) && model.banks[seat] > 0 && model.clock?.seat === seat;
      const word = model.result === null ? t(`seat.${seat}`) : outcome(model.result, seat);
      this.strips?.[seat].show(name, this.#gone(seat) ? t(waits ? "seat.gone.bank" : "seat.gone") : word, this.#gone(seat));
    }
  }

  #showClocks() {
    const { model, strips = [] } = this;
    setClocks(strips.map(({ clock }) => clock), model, (seat) => this.#gone(seat));
    if (model.result !== null) for (const seat of /** @type {const} */ ([0, 1])) strips[seat]?.end(model.result, seat);
  }

  /** @param {number} at */
  #showText(at) {
    const { model } = this;
    const [first, second] = model.players;
    /** @type {HTMLElement} */ (this.heading).textContent = `${first} – ${second}, ${gameName(model.game)}`;
    document.title = `${first} – ${second} · Palestra`;
    /** @type {HTMLElement} */ (this.result).hidden = model.result === null;
    if (model.result !== null) fill(/** @type {Element} */ (this.end), ...this.#ending(model.result));
    const facts = [
      t("ply.of", { n: at, all: model.plies }),
      gameName(model.game),
      model.opening > 0 ? t("opening.n", { n: model.opening }) : null,
      this.#budget(),
      model.rated ? t("rated") : null,
    ];
    const about = facts.filter((fact) => fact !== null).join(" · ");
    fill(/** @type {Element} */ (this.about), about, model.tournament ? " · " : null, model.tournament ? h("a", { href: to.tournament(model.tournament) }, tournamentName(model)) : null);
    /** @type {Element} */ (this.rule).textContent = rule(model.game);
    this.#showTools(at);
  }

  /** Once it is over: what to watch on with, first a match of the same two, then one of either, then the tensest. */
  #showNext() {
    const next = /** @type {HTMLElement} */ (this.next);
    const { players, match, result } = this.model;
    const known = (/** @type {any} */ one) => one.players.filter((/** @type {string} */ name) => players.includes(name)).length;
    const worth = (/** @type {any} */ one) => 3 * known(one) + tension(one, []);
    const best = result === null ? undefined : [...this.others.values()].filter((one) => one.match !== match).sort((a, b) => worth(b) - worth(a))[0];
    next.hidden = best === undefined;
    if (best === undefined) return;
    next.setAttribute("href", to.match(best.match));
    fill(next, h("span", null, t("watch.on")), h("b", null, versus(best.players, "–")), h("span", { class: "quiet small" }, gameName(best.game)));
  }

  #budget() {
    const [first, second] = this.model.budgets;
    if (first >= 3_600_000 && second >= 3_600_000) return t("clock.none");
    if (first >= 3_600_000 || second >= 3_600_000) return t("clock.one", { name: this.model.players[first < second ? 0 : 1], s: budget(Math.min(first, second)) });
    return first === second ? t("clock.each", { s: budget(first) }) : t("clock.two", { a: budget(first), b: budget(second) });
  }

  /** @param {import("../types.js").Result} result */
  #ending(result) {
    const { players } = this.model;
    const told = { ...result, why: result.why === undefined ? this.more?.why : result.why };
    const receipt = result.receipt ?? this.more?.receipt;
    return [
      h("b", null, versus(players, score(result))),
      h("span", { class: "ending" }, ending({ players, game: this.model.game, ...told })),
      receipt ? h("details", { class: "small" }, h("summary", { class: "quiet" }, t("receipt")), h("code", { class: "receipt" }, receipt), h("p", { class: "quiet" }, t("receipt.what"))) : null,
    ];
  }

  /** @param {number} at */
  #showTools(at) {
    const { model } = this;
    const tools = /** @type {Element} */ (this.tools);
    const actions = model.moves.slice(0, at).map((move) => move.action);
    const open = model.views[at]?.returns === null;
    const address = () => location.origin + to.match(model.match, this.at ?? undefined);
    fill(
      tools,
      copyButton(address, t("link.copy"), t("copied")),
      model.result === null ? null : h("a", { class: "button", href: `/api/v1/matches/${encodeURIComponent(model.match)}/record`, download: `${model.match}.jsonl` }, t("record.get")),
      open ? h("a", { class: "button", href: to.query("play", { game: model.game, opening: actions.join(",") }) }, t("continue.here")) : null,
    );
  }
}

customElements.define("page-match", MatchPage);
