// @ts-check
// What a player has played: all matches, lost ones, by opponent, by tournament, or against one opponent alone.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { gameName, percent, versus } from "../format.js";
import { t } from "../i18n.js";
import { h, select, table, toggled, View } from "../view.js";
import { LongList, MatchList } from "./match_list.js";
import { wdl, wdlHead } from "./wdl.js";

/** @typedef {{of: string | null, title: string | null, won: number, drawn: number, lost: number}} Score */

/** @param {string} player */
const scoresOf = (player) => `/players/${encodeURIComponent(player)}/scores`;

/** @extends {View<{player: string}, {which: string}>} */
export class Meetings extends View {
  state = { which: "player" };

  render() {
    const { player } = this.props;
    const { which } = this.state;
    const ways = Object.entries({ player: "schedule.all", lost_by: "matches.lost", opponent: "matches.opponents", tournament: "matches.tournaments" });
    const added = which === "opponent" || which === "tournament";
    return h(
      "section",
      { ref: this.root },
      h("div", { class: "row apart listed" }, h("h2", null, t("matches")), select(which, ways.map(([value, words]) => [value, t(words)]), (chosen) => this.setState({ which: chosen }), { "aria-label": t("matches") })),
      h(
        "div",
        { class: "card" },
        added
          ? h(LongList, { key: which, path: `${scoresOf(player)}?by=${which}`, of: "scores", from: "start", row: (/** @type {Score} */ score) => h(Group, { key: score.of ?? "", player, by: which, score }) })
          : h(MatchList, { key: which, query: { [which]: player }, player }),
      ),
    );
  }
}

/** The matches of a group are loaded when it is opened. @extends {View<{player: string, by: string, score: Score}, {open: boolean}>} */
class Group extends View {
  state = { open: false };

  render() {
    const { player, by, score } = this.props;
    const { of, title, won, drawn, lost } = score;
    return h(
      "li",
      { ref: this.root },
      h(
        "details",
        { class: "group", onToggle: toggled((open) => this.setState({ open })) },
        h("summary", null, h("span", { class: "name" }, title ?? of ?? t("matches.casual")), wdl([won, drawn, lost])),
        this.state.open ? [by === "opponent" ? h("p", { class: "small" }, h("a", { href: to.player(player, of ?? "") }, t("head.to.head"))) : null, h(MatchList, { query: { player, [by]: of ?? "" }, player })] : null,
      ),
    );
  }
}

/** Two players against each other. @extends {View<{player: string, opponent: string}, {scores: Score[]}>} */
export class HeadToHead extends View {
  /** @type {{scores: Score[]}} */
  state = { scores: [] };

  async componentDidMount() {
    const { player, opponent } = this.props;
    const found = await get(`${scoresOf(player)}?${new URLSearchParams({ by: "game", opponent })}`).catch(() => null);
    if (found !== null) this.setState(found);
  }

  render() {
    const { player, opponent } = this.props;
    const { scores } = this.state;
    const rows = scores.map(({ of, won, drawn, lost }) =>
      h("tr", { key: of }, h("td", null, gameName(of ?? "")), h("td", { class: "num" }, wdl([won, drawn, lost])), h("td", { class: "num" }, percent(won + drawn / 2, won + drawn + lost))),
    );
    const head = [h("th", null, t("game")), h("th", { class: "num" }, wdlHead()), h("th", { class: "num" }, t("scored"))];
    return h(
      "section",
      { ref: this.root, class: "head-to-head" },
      h("div", { class: "row apart listed" }, h("h2", null, t("head.to.head"), ": ", versus([player, opponent], "–")), h("a", { class: "button", href: to.player(player) }, t("schedule.all"))),
      h(
        "div",
        { class: "card stack" },
        rows.length === 0 ? null : table({ class: "record" }, head, rows),
        h(MatchList, { query: { player, opponent }, player }),
        h("p", { class: "small" }, h("a", { href: to.player(opponent) }, t("head.to.other", { name: opponent }))),
      ),
    );
  }
}
