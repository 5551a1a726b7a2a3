// @ts-check
// Practice: a board of one's own for both sides. The server knows the rules; nothing is kept.
import { setQuery, to } from "../addresses.js";
import { get } from "../api.js";
import { Board } from "../board/board.js";
import { fill, h } from "../dom.js";
import { gameName, rule, score } from "../format.js";
import { t } from "../i18n.js";
import { Scrubber } from "../parts/scrubber.js";
import { about } from "../session.js";

class PracticePage extends HTMLElement {
  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.game = "connect4";
    /** @type {number[]} */
    this.actions = [];
    /** @type {import("../types.js").View[]} */
    this.views = [];
    this.at = 0;
    this.stop = () => {};
  }

  async connectedCallback() {
    this.game = this.params.game ?? this.game;
    this.actions = (this.params.actions ?? "").split(",").filter((text) => text !== "").map(Number);
    this.board = new Board({ turns: true });
    this.board.addEventListener("action", (event) => this.#play(/** @type {CustomEvent} */ (event).detail));
    this.scrubber = new Scrubber();
    this.scrubber.addEventListener("go", (event) => this.#show(/** @type {CustomEvent} */ (event).detail));
    this.scrubber.addEventListener("live", () => this.#show(this.actions.length));
    this.choice = h("select", { "aria-label": t("game") });
    this.choice.addEventListener("change", () => {
      this.game = this.choice?.value ?? this.game;
      this.#load([]);
    });
    this.say = h("p", { class: "say", role: "status" });
    this.rule = h("p");
    this.against = h("a", { class: "button" }, t("continue.here"));
    this.append(
      h("div", { class: "row apart" }, h("h1", null, t("practice.title")), this.choice),
      h(
        "div",
        { class: "split" },
        h("div", { class: "card match" }, this.say, h("div", { class: "board-box" }, this.board)),
        h("div", { class: "stack" }, h("div", { class: "card" }, this.scrubber.element), this.rule, h("p", { class: "quiet" }, t("practice.what")), h("div", { class: "row" }, this.against)),
      ),
    );
    const keys = (/** @type {KeyboardEvent} */ event) => {
      const inField = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
      if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.board?.press(event.key)) event.preventDefault();
      else this.scrubber?.key(event);
    };
    document.addEventListener("keydown", keys);
    this.stop = () => document.removeEventListener("keydown", keys);
    await this.#load(this.actions);
    const server = await about().catch(() => null);
    fill(this.choice, (server?.games ?? []).map(({ name }) => h("option", { value: name, selected: name === this.game }, gameName(name))));
  }

  disconnectedCallback() {
    this.scrubber?.halt();
    this.stop();
  }

  /** @param {number} action */
  async #play(action) {
    this.scrubber?.halt();
    // A move in the middle begins a new line from there: that is the take-back.
    await this.#load([...this.actions.slice(0, this.at), action], true);
  }

  /** @param {number[]} actions @param {boolean} [animate] */
  async #load(actions, animate = false) {
    const say = /** @type {HTMLElement} */ (this.say);
    try {
      const answer = await get(`/games/${encodeURIComponent(this.game)}/view?actions=${actions.join(",")}`);
      this.actions = actions;
      this.views = answer.views;
      this.#show(actions.length, animate);
    } catch (error) {
      say.className = "say bad";
      say.textContent = /** @type {Error} */ (error).message || t("fault.unreachable");
    }
  }

  /** @param {number} at @param {boolean} [animate] */
  #show(at, animate = at === this.at + 1) {
    this.at = at;
    const view = this.views[at];
    const say = /** @type {HTMLElement} */ (this.say);
    if (view === undefined) return;
    this.board?.show(view, { before: this.views[at - 1] ?? null, action: this.actions[at - 1] ?? null, animate, playable: view.returns === null });
    this.scrubber?.show(at, this.actions.length, false, true);
    say.className = "say";
    /** @type {Element} */ (this.rule).textContent = rule(this.game);
    say.textContent = view.returns === null ? t("practice.turn", { seat: t(`seat.name.${view.to_move}`) }) : t("practice.over", { score: score(view) });
    const actions = this.actions.slice(0, at).join(",");
    setQuery({ game: this.game, actions });
    this.against?.setAttribute("href", to.query("play", { game: this.game, opening: actions }));
  }
}

customElements.define("page-practice", PracticePage);
