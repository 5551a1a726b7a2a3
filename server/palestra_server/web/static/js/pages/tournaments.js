// @ts-check
// All tournaments: what is on, what comes, what was.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { clockTime, dotted, formatTitle, gameName } from "../format.js";
import { t } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";
import { Champion, NAMED } from "../parts/leaders.js";
import { byState, progressBar, stateMark, withoutOldWarmUps } from "../parts/progress.js";
import { h, View } from "../view.js";
/** @import { Tournament } from "../types.js" */

/** @extends {View<{}, {tournaments: Tournament[] | null, fault: string | null}>} */
export default class TournamentsPage extends View {
  /** @type {{tournaments: Tournament[] | null, fault: string | null}} */
  state = { tournaments: null, fault: null };

  componentDidMount() {
    // The newest of a state first.
    get("/tournaments").then(({ tournaments: all }) => this.setState({ tournaments: withoutOldWarmUps(all).reverse().sort(byState) }), ({ message }) => this.setState({ fault: message }));
  }

  render() {
    return h("page-tournaments", { ref: this.root }, h("div", { class: "row apart" }, h("h1", null, t("nav.tournaments")), h("a", { class: "button", href: "/seasons" }, t("seasons"))), h("div", { class: "cards wide" }, this.#cards()));
  }

  #cards() {
    const { tournaments, fault } = this.state;
    if (fault !== null) return h("p", { class: "say bad" }, fault);
    if (tournaments === null) return h("p", { class: "quiet" }, t("loading"));
    if (tournaments.length === 0) return h("div", { class: "card whole" }, emptyCard(t("tournaments.none"), t("tournaments.none.how"), ["/teacher", t("nav.teacher")]));
    const named = tournaments.filter(({ state }) => state === "completed").slice(0, NAMED);
    return tournaments.map((each) => card(each, named.includes(each)));
  }
}

/** @param {Tournament} tournament @param {boolean} named whether to name its winner */
function card(tournament, named) {
  const { name, title, games, state, players, played, started, scheduled } = tournament;
  const over = state === "completed";
  const facts = [formatTitle(tournament), games.map(gameName).join(", "), players > 0 ? t("players.n", { n: players }) : null, over ? t("matches.n", { n: played }) : null, clockTime(started ?? scheduled)];
  return h(
    "a",
    { key: name, class: "card tournament-card", href: to.tournament(name) },
    h("div", { class: "row apart" }, h("b", null, title), stateMark(tournament)),
    h("span", { class: "quiet small" }, dotted(facts)),
    !over ? progressBar(tournament) : named ? h(Champion, { tournament }) : null,
  );
}
