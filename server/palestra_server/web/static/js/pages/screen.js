// @ts-check
// The big screen: a programme that runs by itself for hours, and follows the teacher's remote.
import { t } from "../i18n.js";
import { line } from "../line.js";
import { MatchModel } from "../match_model.js";
import { yard } from "../parts/empty.js";
import { Ceremony } from "../screen/ceremony.js";
import { Frame } from "../screen/frame.js";
import { Game } from "../screen/game.js";
import { News } from "../screen/news.js";
import { LASTS, PAGE_MS, begun, next } from "../screen/programme.js";
import { Bracket, Field, Pairings, pages, Standings, Suspense } from "../screen/tables.js";
import { sound, SoundButton } from "../sound.js";
import { h, View } from "../view.js";

const TICK_MS = 500;
const AWAKE_MS = 3000;
const KEPT = "palestra-screen";

export default class ScreenPage extends View {
  /** @type {News} */
  news = new News(this, () => this.#look());
  /** What was shown before this tab was loaded anew, so that a held scene is still held. */
  shown = /** @type {ReturnType<typeof begun>} */ (JSON.parse(sessionStorage.getItem(KEPT) ?? "null") ?? begun());
  model = new MatchModel();
  stopMatch = () => {};
  awake = false;

  componentDidMount() {
    this.every(TICK_MS, () => this.#look());
    this.hear(document, "pointermove", () => this.#wake());
    this.until(() => this.stopMatch());
    if (this.shown.match !== null) this.#follow(this.shown.match);
  }

  /** The way out, and the pointer, are there while somebody moves it. */
  #wake() {
    if (!this.awake) this.redraw();
    this.awake = true;
    this.later(AWAKE_MS, () => {
      this.awake = false;
      this.redraw();
    });
  }

  /** Nothing moves on while the line is lost: what would be shown is not there. */
  #look() {
    if (!this.news.ordered || !this.news.loaded || line.state === "lost") return;
    const state = next(this.shown, this.#known());
    if (state.match !== this.shown.match && state.match !== null) this.#follow(state.match);
    if (state.scene !== this.shown.scene || state.match !== this.shown.match) sessionStorage.setItem(KEPT, JSON.stringify(state));
    this.shown = state;
    this.redraw();
  }

  /** @returns {import("../screen/programme.js").Known} */
  #known() {
    const { news, model } = this;
    const { cup } = news;
    return {
      now: Date.now(),
      told: news.order,
      cup: cup === null ? null : { name: cup.name, state: cup.state, round: cup.round ?? 0, rounds: cup.rounds, hides: cup.hides, revealed: cup.revealed },
      choices: news.choices,
      match: model.match === this.shown.match && model.match !== "" ? { match: model.match, ply: model.plies, over: model.result !== null } : null,
      has: { pairings: news.fixtures.length > 0, standings: news.rows.some(({ played }) => played > 0), bracket: news.bracket.length > 0 },
      pages: pages(news),
    };
  }

  /** @param {string} match */
  #follow(match) {
    this.stopMatch();
    const model = (this.model = new MatchModel());
    this.stopMatch = line.watch(`match:${match}`, (event) => {
      if (!model.take(event)) return;
      sound.hear(event);
      this.#look();
    });
  }

  #scene() {
    const { news, shown, model } = this;
    const page = this.#page();
    if (shown.scene === "ceremony") return h(Ceremony, { news });
    if ((shown.scene === "match" || shown.scene === "result") && model.match !== "") return h(Game, { key: model.match, news, model, why: shown.why, over: shown.scene === "result" });
    if (news.cup === null || shown.scene === "welcome" || shown.scene === "match" || shown.scene === "result") return h(Welcome, null);
    if (shown.scene === "field") return h(Field, { news, page });
    if (shown.scene === "pairings") return h(Pairings, { news, page, featured: news.choices[0]?.match ?? null });
    if (shown.scene === "standings") return h(Standings, { news, page });
    if (shown.scene === "bracket" && news.bracket.length > 0) return h(Bracket, { news });
    return h(Suspense, { news });
  }

  /** Which page of a table: the first longest, then one after the other. */
  #page() {
    const { scene, since } = this.shown;
    const all = /** @type {Record<string, number>} */ (pages(this.news))[scene] ?? 1;
    const late = Math.floor((Date.now() - since - LASTS[scene]) / PAGE_MS) + 1;
    return late <= 0 ? 0 : late % all;
  }

  render() {
    return h(
      "page-screen",
      { class: `screen ${this.awake ? "awake" : ""}`, ref: this.root, "data-scene": this.shown.scene },
      this.#scene(),
      h("nav", { class: "screen-ways", "aria-label": t("nav.label") }, h("a", { href: "/" }, t("nav.live")), h("a", { href: "/remote" }, t("remote")), h("button", { type: "button", onClick: () => document.documentElement.requestFullscreen?.() }, t("screen.full")), h(SoundButton, null)),
    );
  }
}

/** What is shown where nobody plays and no tournament is planned. */
function Welcome() {
  return h(Frame, { scene: "welcome", title: "Palestra", news: t("screen.wait") }, h("div", { class: "beside" }, h("div", { class: "first" }, yard()), h("p", { class: "what" }, t("welcome.what"))));
}
