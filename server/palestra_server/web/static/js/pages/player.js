// @ts-check
// One player: record by game and seat, strength over time, reliability, all matches. Whoever is signed in as this player
// sees the own bot's failures first.
import { ApiError, get } from "../api.js";
import { fill, h } from "../dom.js";
import { answerTime, gameName, number } from "../format.js";
import { t } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";
import { failureList } from "../parts/failures.js";
import { matchList } from "../parts/match_list.js";
import { ratingGraph } from "../parts/rating_graph.js";
import { wdl } from "../parts/wdl.js";
import { session } from "../session.js";
import { presence } from "./players.js";

class PlayerPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.changed = () => this.#showFailures();
  }

  connectedCallback() {
    const { name } = this.params;
    document.title = `${name} · Palestra`;
    this.head = h("div", { class: "row" }, h("h1", null, name));
    this.failures = h("section", { class: "failures", hidden: true });
    this.facts = h("div", { class: "stack waiting-facts" }, h("p", { class: "quiet" }, t("loading")));
    const list = h("div", { class: "card" }, matchList({ player: name }, name));
    const which = h("select", { "aria-label": t("matches") }, h("option", { value: "player" }, t("schedule.all")), h("option", { value: "lost_by" }, t("matches.lost")));
    which.addEventListener("change", () => fill(list, matchList({ [which.value]: name }, name)));
    this.played = h("section", null, h("div", { class: "row apart listed" }, h("h2", null, t("matches")), which), list);
    this.append(
      this.head,
      h(
        "div",
        { class: "split wide page-of-player" },
        h("div", { class: "stack" }, this.failures, this.played),
        this.facts,
      ),
    );
    session.addEventListener("change", this.changed);
    this.#load();
    this.#showFailures();
  }

  disconnectedCallback() {
    session.removeEventListener("change", this.changed);
  }

  async #load() {
    const facts = /** @type {Element} */ (this.facts);
    try {
      const player = await get(`/players/${encodeURIComponent(this.params.name)}`);
      fill(/** @type {Element} */ (this.head), h("h1", null, player.name ?? this.params.name), presence(player), player.group ? h("span", { class: "quiet" }, `${t("group")}: ${player.group}`) : null, player.guest ? h("span", { class: "quiet" }, t("guest")) : null);
      facts.classList.remove("waiting-facts");
      fill(facts, section(t("record"), record(player.record ?? {})), player.rating?.length ? section(t("rating.over.time"), h("div", null, ratingGraph(player.rating), h("p", { class: "quiet small" }, t("rating.what")))) : null, section(t("reliability"), reliability(player)));
    } catch (error) {
      facts.classList.remove("waiting-facts");
      const said = h("p", { class: "say bad" }, /** @type {Error} */ (error).message || t("fault.unreachable"));
      fill(facts, h("div", { class: "card" }, emptyCard(said, "", ["/players", t("nav.players")])));
      /** @type {HTMLElement} */ (this.played).hidden = error instanceof ApiError && error.status === 404;
      this.classList.toggle("alone", this.played?.hidden);
    }
  }

  async #showFailures() {
    const { role, player } = session.now;
    const box = /** @type {HTMLElement} */ (this.failures);
    box.hidden = role !== "teacher" && player !== this.params.name;
    if (box.hidden) {
      fill(box);
      return;
    }
    try {
      const answer = await get(`/players/${encodeURIComponent(this.params.name)}/failures`);
      if (session.now.role !== role || session.now.player !== player) return;
      const list = answer.failures.length === 0 ? h("p", { class: "say ok" }, t("failures.none")) : failureList(answer.failures, this.params.name);
      fill(box, h("h2", null, t("failures")), h("div", { class: "card" }, list));
    } catch (error) {
      fill(box, h("p", { class: "quiet" }, /** @type {Error} */ (error).message));
    }
  }
}

/** @param {string} title @param {Node} content */
function section(title, content) {
  return h("section", null, h("h2", null, title), h("div", { class: "card" }, content));
}

/** @param {Record<string, {seat0: number[], seat1: number[]}>} byGame */
function record(byGame) {
  const games = Object.entries(byGame);
  if (games.length === 0) return h("p", { class: "quiet" }, t("lobby.no.results"));
  return h(
    "table",
    { class: "record" },
    h("thead", null, h("tr", null, h("th", null, t("game")), h("th", { class: "num" }, t("seat.0")), h("th", { class: "num" }, t("seat.1")), h("th", { class: "num" }, t("scored")))),
    h(
      "tbody",
      null,
      games.map(([game, { seat0, seat1 }]) => {
        const [wins, draws, losses] = [0, 1, 2].map((at) => (seat0[at] ?? 0) + (seat1[at] ?? 0));
        const all = wins + draws + losses;
        return h("tr", null, h("td", null, gameName(game)), h("td", { class: "num" }, wdl(seat0)), h("td", { class: "num" }, wdl(seat1)), h("td", { class: "num" }, all === 0 ? "–" : `${number((100 * (wins + draws / 2)) / all)} %`));
      }),
    ),
    h("caption", null, t("record.what")),
  );
}

/** @param {any} player */
function reliability(player) {
  const rows = ["timeouts", "illegal", "crashes", "disconnects", "median_ms", "p99_ms"]
    .filter((key) => player[key] !== undefined && player[key] !== null)
    .map((key) => h("tr", null, h("td", null, t(`reliability.${key}`)), h("td", { class: "num" }, key.endsWith("_ms") ? answerTime(player[key]) : player[key])));
  return rows.length === 0 ? h("p", { class: "quiet" }, t("lobby.no.results")) : h("table", null, h("tbody", null, rows));
}

customElements.define("page-player", PlayerPage);
