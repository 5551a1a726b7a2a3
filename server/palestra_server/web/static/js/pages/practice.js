// @ts-check
// Practice: a board of one's own for both sides. The server knows the rules; nothing is kept.
import { setQuery, to } from "../addresses.js";
import { get } from "../api.js";
import { Board } from "../board/board.js";
import { gameName, rule, score } from "../format.js";
import { t } from "../i18n.js";
import { Scrubber } from "../parts/scrubber.js";
import { about } from "../session.js";
import { h, select, View } from "../view.js";
/** @import { Params } from "../types.js" */

/** @typedef {{game: string, games: string[], actions: number[], views: import("../types.js").View[], at: number, fault: string | null}} State */

/** @extends {View<{params: Params}, State>} */
export default class PracticePage extends View {
  /** @type {State} */
  state = { game: this.props.params.game ?? "connect4", games: [], actions: [], views: [], at: 0, fault: null };

  async componentDidMount() {
    const { game } = this.state;
    await this.#load(game, (this.props.params.actions ?? "").split(",").filter((text) => text !== "").map(Number));
    const server = await about().catch(() => null);
    this.setState({ games: (server?.games ?? []).map(({ name }) => name) });
  }

  /** @param {number} action */
  #play(action) {
    const { game, actions, at } = this.state;
    // A move in the middle begins a new line from there: that is the take-back.
    return this.#load(game, [...actions.slice(0, at), action]);
  }

  /** @param {string} game @param {number[]} actions */
  async #load(game, actions) {
    try {
      /** @type {{views: import("../types.js").View[]}} */
      const { views } = await get(`/games/${encodeURIComponent(game)}/view?actions=${actions.join(",")}`);
      const old = game === this.state.game ? this.state : { actions: [], views: [] };
      let same = 0;
      while (same < old.actions.length && old.actions[same] === actions[same]) same++;
      // A position that is known already stays what it is, so that the next one is seen to come from it.
      this.#show(actions.length, { game, actions, views: views.map((view, at) => (at <= same ? (old.views[at] ?? view) : view)) });
    } catch (error) {
      this.setState({ game, fault: /** @type {Error} */ (error).message });
    }
  }

  /** @param {number} at @param {Pick<State, "game" | "actions" | "views">} line */
  #show(at, line = this.state) {
    this.setState({ ...line, at, fault: null });
    setQuery({ game: line.game, actions: line.actions.slice(0, at).join(",") });
  }

  render() {
    const { game, games, actions, views, at, fault } = this.state;
    const view = views[at];
    const opening = actions.slice(0, at).join(",");
    const words = fault ?? (view === undefined ? "" : view.returns === null ? t("practice.turn", { seat: t(`seat.name.${view.to_move}`) }) : t("practice.over", { score: score(view) }));
    return h(
      "page-practice",
      { ref: this.root },
      h("div", { class: "row apart" }, h("h1", null, t("practice.title")), select(game, games.map((name) => [name, gameName(name)]), (chosen) => this.#load(chosen, []), { "aria-label": t("game") })),
      h(
        "div",
        { class: "split" },
        h(
          "div",
          { class: "card match" },
          h("p", { class: `say ${fault === null ? "" : "bad"}`, role: "status" }, words),
          h("div", { class: "board-box" }, h(Board, { view, before: views[at - 1], action: actions[at - 1], playable: view?.returns === null, large: true, onAction: (/** @type {number} */ action) => this.#play(action) })),
        ),
        h(
          "div",
          { class: "stack" },
          h("div", { class: "card" }, h(Scrubber, { at, last: actions.length, running: false, following: true, onGo: (/** @type {number | null} */ ply) => this.#show(ply ?? actions.length) })),
          h("p", null, rule(game)),
          h("p", { class: "quiet" }, t("practice.what")),
          h("div", { class: "row" }, h("a", { class: "button", href: to.query("play", { game, opening }) }, t("continue.here"))),
        ),
      ),
    );
  }
}
