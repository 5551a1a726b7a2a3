// @ts-check
// One player: strength, what the judge says, record by game and seat, reliability, and all matches. Whoever is signed in as
// this player sees the own bot's failures first.
import { ApiError, get } from "../api.js";
import { answerTime, gameName, percent, sum } from "../format.js";
import { t } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";
import { failureList } from "../parts/failures.js";
import { HeadToHead, Meetings } from "../parts/meetings.js";
import { Star } from "../parts/star.js";
import { strengthsOf } from "../parts/strengths.js";
import { Versions } from "../parts/versions.js";
import { wdl } from "../parts/wdl.js";
import { session } from "../session.js";
import { h, section, table, View } from "../view.js";
import { presence } from "./players.js";
/** @import { Params, Player, Summary } from "../types.js" */

/** @typedef {{kept: number[], choices: number[]}} Accuracy by thirds of the matches */
/** @typedef {{games: Record<string, Accuracy>, losses: number, causes: Record<string, number>}} Judged */
/** @typedef {Record<string, {seat0: number[], seat1: number[]}>} Records by game: wins, draws, losses */
/**
 * @typedef {Player & {record: Records, strengths: import("../parts/strengths.js").Strength[], judged: Judged,
 *   timeouts?: number, illegal?: number, crashes?: number, disconnects?: number, median_ms?: number | null, p99_ms?: number | null}} Profile
 * @typedef {{player: Profile | null, fault: Error | null, failures: Summary[] | null, refused: string | null}} State
 */

/** @extends {View<{params: Params}, State>} */
export default class PlayerPage extends View {
  /** @type {State} */
  state = { player: null, fault: null, failures: null, refused: null };

  componentDidMount() {
    document.title = `${this.props.params.name} · Palestra`;
    this.hear(session, "change", () => this.#loadFailures());
    this.#load();
    this.#loadFailures();
  }

  get path() {
    return `/players/${encodeURIComponent(this.props.params.name)}`;
  }

  async #load() {
    await get(this.path).then((player) => this.setState({ player }), (fault) => this.setState({ fault }));
  }

  async #loadFailures() {
    const reader = session.now;
    this.setState({ failures: null, refused: null });
    if (reader.role !== "teacher" && reader.player !== this.props.params.name) return;
    /** @type {Pick<State, "failures" | "refused">} */
    const shown = await get(`${this.path}/failures`).then(({ failures }) => ({ failures, refused: null }), ({ message }) => ({ failures: null, refused: message }));
    if (reader === session.now) this.setState(shown);
  }

  render() {
    const { name, against } = this.props.params;
    const { player, fault } = this.state;
    const unknown = fault instanceof ApiError && fault.status === 404;
    return h(
      "page-player",
      { ref: this.root },
      h(
        "div",
        { class: "row" },
        h("h1", null, player?.name ?? name),
        player && h(Star, { name: player.name }),
        player && presence(player),
        player?.group ? h("span", { class: "quiet" }, `${t("group")}: ${player.group}`) : null,
        player?.guest || player?.reference ? h("span", { class: "quiet" }, t(player.guest ? "guest" : "reference")) : null,
      ),
      h(
        "div",
        { class: `split wide page-of-player ${unknown ? "alone" : ""}` },
        h(
          "div",
          { class: "stack" },
          this.#failures(),
          unknown ? null : against === undefined ? h(Meetings, { player: name }) : h(HeadToHead, { player: name, opponent: against }),
        ),
        h("div", { class: `stack ${player === null && fault === null ? "waiting-facts" : ""}` }, this.#facts()),
      ),
    );
  }

  #facts() {
    const { player, fault } = this.state;
    if (fault !== null) return h("div", { class: "card" }, emptyCard(h("p", { class: "say bad" }, fault.message || t("fault.unreachable")), "", ["/players", t("nav.players")]));
    if (player === null) return h("p", { class: "quiet" }, t("loading"));
    return [
      player.strengths.length > 0 ? section(t("rating.over.time"), h("div", null, strengthsOf(player.strengths), h("p", { class: "quiet small" }, t("rating.what")))) : null,
      Object.keys(player.judged.games).length > 0 ? section(t("judged"), accuracy(player.judged)) : null,
      section(t("record"), record(player.record)),
      h(Versions, { player: player.name }),
      section(t("reliability"), reliability(player)),
    ];
  }

  #failures() {
    const { failures, refused } = this.state;
    if (refused !== null) return h("section", { class: "failures" }, h("p", { class: "quiet" }, refused));
    if (failures === null) return null;
    const list = failures.length === 0 ? h("p", { class: "say ok" }, t("failures.none")) : failureList(failures, this.props.params.name);
    return section(t("failures"), list, "failures");
  }
}

/** What the judge says of all matches: how much of the value was kept when, and what was wrong most often. @param {Judged} judged */
function accuracy({ games, losses, causes }) {
  const [worst, ...others] = Object.entries(causes);
  const rows = Object.entries(games).map(([game, { kept, choices }]) =>
    h("tr", { key: game }, h("td", null, gameName(game)), [...kept.map((n, third) => share(n, choices[third])), share(sum(kept), sum(choices))]),
  );
  const heads = ["beginning", "middle", "end", "all"].map((phase) => h("th", { class: "num" }, t(`phase.${phase}`)));
  return h(
    "div",
    { class: "accuracy" },
    worst === undefined ? null : h("p", null, t("causes.most", { n: worst[1], all: losses, cause: t(`cause.${worst[0]}`) }), others.length === 0 ? null : h("span", { class: "quiet small line" }, others.map(([code, n]) => t("causes.times", { n, cause: t(`cause.${code}`) })).join(" · "))),
    table({ class: "record" }, [h("th", null, t("game")), heads], rows, t("accuracy.what")),
  );
}

/** @param {number} kept @param {number} choices */
function share(kept, choices) {
  if (choices === 0) return h("td", { class: "num quiet" }, "–");
  return h("td", { class: "num share", title: t("accuracy.of", { kept, choices }), style: { "--share": `${(100 * kept) / choices}%` } }, percent(kept, choices));
}

/** @param {Records} byGame */
function record(byGame) {
  const games = Object.entries(byGame);
  if (games.length === 0) return h("p", { class: "quiet" }, t("lobby.no.results"));
  const rows = games.map(([game, { seat0, seat1 }]) => {
    const [wins, draws, losses] = [0, 1, 2].map((at) => (seat0[at] ?? 0) + (seat1[at] ?? 0));
    const all = wins + draws + losses;
    return h("tr", { key: game }, h("td", null, gameName(game)), h("td", { class: "num" }, wdl(seat0)), h("td", { class: "num" }, wdl(seat1)), h("td", { class: "num" }, all === 0 ? "–" : percent(wins + draws / 2, all)));
  });
  const head = [h("th", null, t("game")), ["seat.0", "seat.1", "scored"].map((key) => h("th", { class: "num" }, t(key)))];
  return table({ class: "record" }, head, rows, t("record.what"));
}

/** @param {Profile} player */
function reliability(player) {
  const rows = /** @type {const} */ (["timeouts", "illegal", "crashes", "disconnects", "median_ms", "p99_ms"]).flatMap((key) => {
    const value = player[key] ?? null;
    return value === null ? [] : [h("tr", { key }, h("td", null, t(`reliability.${key}`)), h("td", { class: "num" }, key.endsWith("_ms") ? answerTime(value) : value))];
  });
  return rows.length === 0 ? h("p", { class: "quiet" }, t("lobby.no.results")) : h("table", null, h("tbody", null, rows));
}
