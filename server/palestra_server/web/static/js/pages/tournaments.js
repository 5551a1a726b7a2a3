// @ts-check
// All tournaments: what is on, what comes, what was.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { clockTime, formatTitle, gameName } from "../format.js";
import { t, tOr } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";
import { champion, NAMED } from "../parts/leaders.js";
import { byState, progressBar } from "../parts/progress.js";

class TournamentsPage extends HTMLElement {
  async connectedCallback() {
    const list = h("div", { class: "cards wide" }, h("p", { class: "quiet" }, t("loading")));
    this.append(h("h1", null, t("nav.tournaments")), list);
    try {
      const { tournaments: all } = await get("/tournaments");
      // A warm-up is of interest until what it was for begins.
      const tournaments = all.filter((/** @type {any} */ one) => one.state !== "completed" || !one.name.endsWith("-warm-up") || all.some((/** @type {any} */ other) => one.name === `${other.name.slice(0, 32)}-warm-up` && (other.state === "draft" || other.state === "waiting")));
      tournaments.reverse().sort(byState); // the newest of a state first
      const named = tournaments.filter((/** @type {any} */ { state }) => state === "completed").slice(0, NAMED);
      fill(list, tournaments.length === 0 ? h("div", { class: "card whole" }, emptyCard(t("tournaments.none"), t("tournaments.none.how"), ["/teacher", t("nav.teacher")])) : tournaments.map((/** @type {any} */ each) => card(each, named.includes(each))));
    } catch (error) {
      fill(list, h("p", { class: "say bad" }, /** @type {Error} */ (error).message || t("fault.unreachable")));
    }
  }
}

/** @param {any} tournament @param {boolean} named whether to name its winner */
function card(tournament, named) {
  const { name, title, games, state, players, played, started } = tournament;
  const over = state === "completed";
  const count = typeof players === "number" ? players : players.length;
  const facts = [formatTitle(tournament), games.map(gameName).join(", "), count > 0 ? t("players.n", { n: count }) : null, over ? t("matches.n", { n: played }) : null, started ? clockTime(started) : null];
  return h(
    "a",
    { class: "card tournament-card", href: to.tournament(name) },
    h("div", { class: "row apart" }, h("b", null, title || name), h("span", { class: `state ${state}` }, tOr(`state.${state}`, state))),
    h("span", { class: "quiet small" }, facts.filter(Boolean).join(" · ")),
    !over ? progressBar(tournament) : named ? champion(tournament) : null,
  );
}

customElements.define("page-tournaments", TournamentsPage);
