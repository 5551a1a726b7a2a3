// @ts-check
// A tournament that has not begun: when it will, who is in and connected, and its rules in words.
import { to } from "../addresses.js";
import { budget, clockTime, gameName } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { h, View } from "../view.js";
import { Countdown } from "./countdown.js";

/** @typedef {import("../types.js").Tournament} Tournament */

/** @extends {View<{tournament: Tournament}>} */
export class Before extends View {
  componentDidMount() {
    this.until(lobby.watch((event) => ["snapshot", "player_joined", "player_left"].includes(event.type) && this.redraw()));
  }

  render() {
    const { scheduled, entrants = [] } = this.props.tournament;
    const players = entrants.filter(({ reference }) => !reference);
    const here = players.filter(({ name }) => lobby.players.has(name));
    return h(
      "div",
      { class: "before", ref: this.root },
      scheduled && scheduled > Date.now() ? [h(Countdown, { to: scheduled }), h("p", null, t("before.at", { time: clockTime(scheduled) }))] : h("p", null, t("before.teacher")),
      h("section", null, h("h2", null, t("before.rules")), h("ul", null, rules(this.props.tournament).map((rule) => h("li", { key: rule }, rule)))),
      h(
        "section",
        null,
        h("h2", null, t("screen.here", { n: here.length, all: players.length })),
        h("ul", { class: "field" }, players.map(({ name }) => h("li", { key: name, class: lobby.players.has(name) ? "here" : "" }, h("a", { href: to.player(name) }, name), lobby.players.has(name) ? h("span", { class: "only-read" }, t("before.connected")) : null))),
      ),
    );
  }
}

/** What every match is played by. @param {Tournament} tournament */
function rules({ games, spec, rounds }) {
  if (!spec) return [];
  const { clock, pairs, swap, openings, absent, withdraw_after, embargo, warm_up } = spec;
  return [
    rounds ? t("before.rounds", { n: rounds }) : null,
    t(pairs * (swap ? 2 : 1) === 1 ? "before.once" : swap ? "before.swapped" : "before.times", { n: pairs * (swap ? 2 : 1), games: games.map(gameName).join(", ") }),
    openings ? t("before.openings") : null,
    t("before.clock", { s: budget(clock.move_ms), grace: budget(clock.grace_ms) }),
    t("before.points"),
    t(absent === "wait" ? "before.absent.wait" : "before.absent", { s: budget(clock.ready_ms) }),
    withdraw_after > 0 ? t("before.withdrawn", { n: withdraw_after }) : null,
    embargo === "last-round" ? t("before.hidden") : null,
    warm_up ? t("before.warm.up") : null,
  ].filter((rule) => rule !== null);
}
