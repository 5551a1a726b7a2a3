// @ts-check
// A tournament that has not begun: when it will and how long it takes, who is in and ready, and its rules in words.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { budget, clockTime, gameName, points } from "../format.js";
import { t, tOr } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { h, View } from "../view.js";
import { Countdown } from "./countdown.js";
/** @import { Player, Rubric, Tournament } from "../types.js" */

// A class connects within a minute.
const REFRESH_MS = { soon_ms: 1000, apart_ms: 5000 };

/** @extends {View<{tournament: Tournament}, {passed: Set<string>}>} */
export class Before extends View {
  /** `passed`: whose own check of its bot went well in every game of this tournament. @type {{passed: Set<string>}} */
  state = { passed: new Set() };

  componentDidMount() {
    const refresh = this.throttled(() => this.#look(), REFRESH_MS);
    this.until(lobby.watch((event) => {
      if (!["snapshot", "player_joined", "player_left"].includes(event.type)) return;
      this.redraw();
      refresh();
    }));
    this.#look();
  }

  async #look() {
    /** @type {{players: Player[]}} */
    const { players } = await get("/players").catch(() => ({ players: [] }));
    this.setState({ passed: new Set(players.filter(({ ready }) => this.props.tournament.games.every((game) => ready?.[game])).map(({ name }) => name)) });
  }

  render() {
    const { tournament } = this.props;
    const { entrants = [], outlook } = tournament;
    const players = entrants.filter(({ reference }) => !reference);
    const here = players.filter(({ name }) => lobby.players.has(name));
    const ready = players.filter(({ name }) => this.state.passed.has(name));
    const mark = (/** @type {string} */ name) => [lobby.players.has(name) ? "presence.on" : "presence.off", ...(this.state.passed.has(name) ? ["is.ready"] : [])].map((key) => t(key)).join(", ");
    return h(
      "div",
      { class: "before", ref: this.root },
      this.#start(),
      outlook ? h("p", null, t("before.length", { n: outlook.matches, hours: budget(3_600_000 * outlook.hours), plies: outlook.plies }), " ", tournament.scheduled ? h("b", null, t("before.end", { time: clockTime(outlook.until) })) : null) : null,
      h("section", null, h("h2", null, t("before.rules")), h("ul", null, rules(tournament).map((rule) => h("li", { key: rule }, rule)))),
      h(
        "section",
        null,
        h("h2", null, `${t("screen.here", { n: here.length, all: players.length })}, ${t("before.ready", { n: ready.length })}`),
        h("ul", { class: "field" }, players.map(({ name }) => h("li", { key: name, class: lobby.players.has(name) ? "here" : "", title: mark(name) }, h("a", { href: to.player(name) }, name), h("span", { class: "only-read" }, mark(name)), this.state.passed.has(name) ? h("span", { class: "quiet small", "aria-hidden": "true" }, t("is.ready")) : null))),
        h("p", { class: "quiet small" }, t("before.ready.what")),
      ),
    );
  }

  #start() {
    const { scheduled } = this.props.tournament;
    if (!scheduled || scheduled <= Date.now()) return h("p", null, t("before.teacher"));
    return [h(Countdown, { to: scheduled }), h("p", null, t("before.at", { time: clockTime(scheduled), zone: Intl.DateTimeFormat().resolvedOptions().timeZone }))];
  }
}

/** What every match is played by, and what becomes of the results. @param {Tournament} tournament */
function rules({ games, spec, outlook, criteria = [] }) {
  if (!spec) return [];
  const { clock, pairs, swap, openings, absent, withdraw_after, embargo, warm_up } = spec;
  // A column's heading begins with a capital, which only names keep in a sentence.
  const ranked = criteria.map((name) => tOr(`tiebreak.${name}`, name).replace(/^./, (first) => (/^[a-z]/.test(name) ? first.toLowerCase() : first)));
  return [
    outlook?.rounds ? t("before.rounds", { n: outlook.rounds }) : null,
    t(pairs * (swap ? 2 : 1) === 1 ? "before.once" : swap ? "before.swapped" : "before.times", { n: pairs * (swap ? 2 : 1), games: games.map(gameName).join(", ") }),
    openings ? t("before.openings") : null,
    t("before.clock", { s: budget(clock.move_ms), grace: budget(clock.grace_ms) }),
    t("before.points"),
    ranked.length > 1 ? t("before.ranked", { first: ranked[0], rest: ranked.slice(1).join(", ") }) : null,
    t(absent === "wait" ? "before.absent.wait" : "before.absent", { s: budget(clock.ready_ms) }),
    withdraw_after > 0 ? t("before.withdrawn", { n: withdraw_after }) : null,
    embargo === "last-round" ? t("before.hidden") : null,
    warm_up ? t("before.warm.up") : null,
    ...graded(spec.grades),
  ].filter((rule) => rule !== null);
}

/** The rubric in words. @param {Rubric} rubric */
function graded({ maximum, base, beats, rating, reliability, participation, top }) {
  const given = [
    base > 0 ? t("before.grade.base", { points: points(base) }) : null,
    ...beats.map((one) => t(one.game ? "before.grade.beats.in" : "before.grade.beats", { points: points(one.points), level: one.level, game: gameName(one.game ?? "") })),
    ...rating.map((one) => t("before.grade.rating", { points: points(one.points), elo: one.at_least })),
    reliability ? t("before.grade.reliability", { points: points(reliability.points) }) : null,
    participation ? t("before.grade.participation", { points: points(participation.points) }) : null,
    ...top.map((one) => t("before.grade.top", { points: points(one.points), n: one.places })),
  ].filter((part) => part !== null);
  return given.length > 0 ? [t("before.grade", { maximum: points(maximum), parts: given.join("; ") })] : [];
}
