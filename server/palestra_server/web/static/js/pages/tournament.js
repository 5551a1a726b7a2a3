// @ts-check
// One tournament: its progress, who leads and how certain that is, who met whom, what comes next.
import { setQuery, to } from "../addresses.js";
import { ApiError, get, seen } from "../api.js";
import { dotted, formatTitle, gameName, points, versus } from "../format.js";
import { language, remark, t } from "../i18n.js";
import { line } from "../line.js";
import { Before } from "../parts/before.js";
import { emptyCard } from "../parts/empty.js";
import { podium } from "../parts/leaders.js";
import { hiddenNotice, progressBar, stateMark, trouble, WARM_UP, warmUpOf } from "../parts/progress.js";
import { readinessTable } from "../parts/readiness.js";
import { rulingList } from "../parts/rulings.js";
import { bracketTree, groupLists, isLevel, leveled, scored } from "../parts/schedule.js";
import { SchedulePages } from "../parts/schedule_pages.js";
import { byes, crossTable, standingsTable } from "../parts/standings.js";
import { session } from "../session.js";
import { createRef, fading, h, scrolling, section, select, View } from "../view.js";
/** @import { Params, Row, Tie, Tournament } from "../types.js" */
/** @import { Children } from "../view.js" */

/**
 * What the API answers for each view.
 * @typedef {{standings?: {rows: Row[]}, crosstable?: {players: string[], cells: ([number, number] | null)[][], total: number},
 *   readiness?: {readiness: import("../parts/readiness.js").Readiness[]}, groups?: {groups: string[][]},
 *   bracket?: {rounds: Tie[][]}}} Parts
 */

const SHOWN = 100; // players in the standings at first
const REFRESH_MS = { soon_ms: 1000, apart_ms: 3000 };

/** @extends {View<{params: Params}>} */
export default class TournamentPage extends View {
  /** @type {Tournament | null} */
  tournament = null;
  /** @type {Parts} */
  parts = {};
  /** @type {Row[] | null} the final standings, once all may see them */
  final = null;
  /** @type {Error | null} */
  fault = null;
  /** Whether what is chosen has come. */
  loaded = false;
  shown = this.props.params.view ?? "standings";
  group = this.props.params.group ?? "";
  /** @type {string[]} whose matches the schedule shows: one player's, or two against each other; all if empty */
  of = [this.props.params.a, this.props.params.b].filter(Boolean);
  /** Whether standings and crosstable show everybody, in a large tournament, too. */
  everybody = false;
  path = `/tournaments/${encodeURIComponent(this.props.params.name)}`;
  schedule = new SchedulePages(this.path, () => this.redraw());
  tabs = createRef();

  componentDidMount() {
    let watched = false;
    const refresh = this.throttled(() => this.#load(), REFRESH_MS);
    this.until(line.watch(`tournament:${this.props.params.name}`, (event) => {
      const { type, ...facts } = event;
      if (["snapshot", "progress", "state"].includes(type)) this.tournament = { ...this.tournament, ...facts };
      this.redraw();
      // The tables of the first snapshot are being asked for; another says that events were missed.
      if (type !== "snapshot" || watched) refresh();
      watched = true;
    }));
    // What is hidden is only for some.
    this.hear(session, "change", () => this.#loadAnew());
    this.#load();
  }

  /** Brings the tab into sight, once: else each result would scroll a reader back up to the tabs. */
  #showTab() {
    this.tabs.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #loadAnew() {
    this.parts = {};
    this.schedule.forget();
    this.final = null;
    return this.#load();
  }

  async #load() {
    const reader = session.now;
    try {
      /** @type {Tournament} */
      const tournament = await get(this.path);
      if (reader !== session.now) return;
      const first = this.tournament?.name === undefined;
      this.tournament = { ...this.tournament, ...tournament };
      document.title = `${tournament.title} · Palestra`;
      if (!this.#views().includes(this.shown)) this.shown = "standings";
      const { parts, shown } = this;
      if (shown === "schedule") await this.schedule.load({ players: this.of, group: this.group, round: this.#round() });
      else Object.assign(parts, { [shown]: await get(`${this.path}/${shown}${shown === "crosstable" ? this.#whom() : ""}`) });
      // The standings from before the end, or without the hidden round, name another winner.
      const final = tournament.state === "completed" && tournament.revealed;
      if (shown !== "standings" && (final || !parts.standings)) parts.standings = await get(`${this.path}/standings`);
      if (reader !== session.now || shown !== this.shown) return;
      this.final = final ? (parts.standings?.rows ?? null) : null;
      this.loaded = true;
      this.fault = null;
      this.setState({}, () => first && this.#showTab());
    } catch (error) {
      this.fault = /** @type {Error} */ (error);
      this.redraw();
    }
  }

  /** The round in which something is being played, or that is to be. @returns {number} */
  #round() {
    const playing = (this.tournament?.playing ?? []).map(({ round }) => round);
    return playing.length > 0 ? Math.min(...playing) : this.tournament?.round || 1;
  }

  /** Whom the crosstable shows. */
  #whom() {
    return `?${new URLSearchParams({ limit: this.everybody ? "1000" : "40", ...(this.group !== "" && { group: this.group }) })}`;
  }

  /** What there is to see of this tournament. @returns {string[]} */
  #views() {
    return [...(this.tournament?.views ?? []), ...(this.props.params.name.endsWith(WARM_UP) ? ["readiness"] : [])];
  }

  /** Shows something else. @param {Partial<Pick<TournamentPage, "shown" | "group" | "of" | "everybody">>} what */
  async #choose(what) {
    if (what.shown !== undefined && what.shown !== this.shown) this.loaded = false;
    Object.assign(this, what);
    const whose = this.shown === "schedule" ? Object.fromEntries(this.of.map((name, at) => ["ab"[at], name])) : {};
    setQuery({ ...(this.shown !== "standings" && { view: this.shown }), ...(this.group !== "" && { group: this.group }), ...whose });
    this.setState({}, () => this.#showTab());
    await this.#load();
  }

  render() {
    const { tournament } = this;
    const { name } = this.props.params;
    if (!tournament?.name) return h("page-tournament", { ref: this.root }, h("h1", null, name), h("div", { class: "tournament-body" }, h("div", { class: "card" }, this.fault === null ? t("loading") : emptyCard(this.#fault(this.fault), "", ["/tournaments", t("nav.tournaments")]))));
    const side = this.#side(tournament);
    return h(
      "page-tournament",
      { ref: this.root },
      this.#head(tournament),
      h(
        "div",
        { class: "tournament-body" },
        h("div", { class: "row apart views" }, h("div", { class: "tabs", role: "tablist", ref: this.tabs }, this.#views().map((view) => this.#tab(view))), this.#groups()),
        h("div", { class: "card", role: "tabpanel", id: "part" }, this.#part(tournament)),
        side.length > 0 ? h("div", { class: "stack side" }, side) : null,
        this.#files(),
        tournament.carried ? h("p", { class: "quiet small" }, t("seeding.carried", { names: tournament.carried.tournaments.map(({ name, title }) => title ?? name).join(", ") })) : null,
        this.#seed(tournament),
      ),
    );
  }

  /** @param {Error} fault */
  #fault(fault) {
    return h("p", { class: "say bad" }, fault.message);
  }

  /** @param {Tournament} tournament */
  #head(tournament) {
    const over = tournament.state === "completed";
    const what = [formatTitle(tournament), (tournament.games ?? []).map(gameName).join(", "), tournament.players ? t("players.n", { n: tournament.players }) : null, over ? t("matches.n", { n: tournament.played }) : null];
    return [
      h("div", { class: "row apart" }, h("h1", null, tournament.title), stateMark(tournament)),
      h("p", { class: "facts" }, dotted(what)),
      over ? this.final && podium(this.final) : progressBar(tournament),
      tournament.why_paused ? h("p", { class: "say" }, remark(tournament.why_paused)) : null,
      trouble(tournament),
    ];
  }

  /** @param {string} view */
  #tab(view) {
    return h("button", { key: view, type: "button", role: "tab", "aria-selected": String(view === this.shown), "aria-controls": "part", onClick: () => this.#choose({ shown: view }) }, t(`view.${view}`));
  }

  #groups() {
    const groups = [...new Set((this.parts.standings?.rows ?? []).map((row) => row.group).filter(Boolean))].sort();
    if (groups.length < 2) return null;
    return h("div", { class: "choice" }, select(this.group, [["", t("group.all")], ...groups.map((group) => /** @type {[string, string]} */ ([group, group]))], (group) => this.#choose({ group }), { "aria-label": t("group") }));
  }

  /** What is chosen. @param {Tournament} tournament */
  #part(tournament) {
    const { parts, shown, fault } = this;
    if (fault !== null) return fault instanceof ApiError && fault.code === "not_begun" ? h(Before, { tournament }) : this.#fault(fault);
    if (!this.loaded) return t("loading");
    // How far another table was scrolled is nothing to this one.
    const scroll = (/** @type {Children} */ table) => h("div", { key: shown }, scrolling(table));
    if (shown === "standings") return [this.#embargo(tournament), this.#standings(scroll)];
    if (shown === "schedule") return [this.#embargo(tournament), this.#whose(), this.#schedule()];
    if (shown === "crosstable") {
      const { crosstable } = parts;
      return crosstable && [scroll(crossTable(crosstable, tournament.name)), this.#more(crosstable.players.length, crosstable.total)];
    }
    if (shown === "readiness") return scroll(readinessTable(parts.readiness?.readiness ?? []));
    if (shown === "groups") return groupLists(parts.groups?.groups ?? []);
    if (!parts.bracket?.rounds.length) return emptyCard(t("bracket.none"), "");
    const level = parts.bracket.rounds.flat().filter(isLevel);
    return [scroll(bracketTree(parts.bracket, tournament.name)), level.map((tie) => h("p", { class: "quiet small" }, leveled(tie)))];
  }

  /** @param {(table: Children) => Children} scroll */
  #standings(scroll) {
    const rows = this.parts.standings?.rows ?? [];
    const some = rows.filter((row) => this.group === "" || row.group === this.group);
    const shown = some.filter(({ player }, at) => at < SHOWN || this.everybody || player === session.now.player);
    const what = rows[0] && "rounds survived" in rows[0].tiebreaks ? "standings.what.survived" : "standings.what";
    return [
      some.length === 0 ? emptyCard(t("standings.none"), "") : scroll(standingsTable(shown, this.props.params.name, session.now.player)),
      this.#more(shown.length, some.length),
      h("p", { class: "quiet small below" }, [t(what), some.some((row) => byes(row) > 0) ? t("standings.byes") : "", t("standings.what.rank")].filter(Boolean).join(" ")),
    ];
  }

  /** A way to all of them, where only some are shown. @param {number} shown @param {number} all */
  #more(shown, all) {
    return shown < all ? h("p", { class: "below" }, h("button", { type: "button", onClick: () => this.#choose({ everybody: true }) }, t("show.all", { n: all }))) : null;
  }

  #schedule() {
    const { all, fixtures } = this.schedule;
    if ((this.of.length > 0 ? fixtures : all).length > 0) return this.schedule.show();
    const none = all.length === 0 || this.of.length === 0 ? t("schedule.none") : this.of.length === 2 ? t("schedule.never") : t("schedule.never.one", { name: this.of[0] });
    return emptyCard(none, "");
  }

  /** Whose matches these are, how two stand against each other, and the way back to all. */
  #whose() {
    if (this.of.length === 0) return null;
    const { fixtures } = this.schedule;
    const all = async () => {
      await this.#choose({ of: [] });
      // Where the button was there is nothing to go on from.
      this.tabs.current?.querySelector("[aria-selected=true]")?.focus();
    };
    const score = fixtures.some(({ returns }) => returns !== null) ? ` ${points(scored(fixtures, this.of[0]))} – ${points(scored(fixtures, this.of.at(-1) ?? ""))} ` : " – ";
    const names = this.of.map((name) => h("a", { href: to.player(name) }, h("b", null, h("bdi", null, name))));
    return h("div", { class: "row apart whose" }, h("span", null, names[0], names.length > 1 ? score : null, names[1]), h("button", { type: "button", onClick: all }, t("schedule.all")));
  }

  /** @param {Tournament} tournament */
  #embargo({ revealed, hides }) {
    return revealed ? null : hiddenNotice(session.now.role === "teacher" && hides, () => this.#loadAnew());
  }

  #files() {
    if (!this.loaded) return null;
    const files = ["standings", "crosstable", "schedule"].map((part) => h("a", { href: seen(`/api/v1${this.path}/${part}.csv?language=${language}`), download: "" }, t(`view.${part}`)));
    return h("p", { class: "quiet small files" }, `${t("csv")} `, files);
  }

  /** The seed, or what its server is committed to until everybody may know it. @param {Tournament} tournament */
  #seed({ seed = null, commitment }) {
    return commitment ? h("p", { class: "quiet small files" }, t(seed === null ? "seed.sealed" : "seed.known", { seed: seed ?? "" }), h("code", null, commitment)) : null;
  }

  /** What is being played, and whatever else stands beside the tables. @param {Tournament} tournament */
  #side({ playing = [], missing = [], rulings = [], struck = 0, spec, round }) {
    const rows = playing.map(({ players, game, match }) => {
      const text = versus(players, "–");
      return h("li", { key: players.join("\n") }, match ? h("a", { href: to.match(match) }, text) : text, h("div", { class: "quiet small" }, gameName(game)));
    });
    return [
      rows.length > 0 ? section(t("state.running"), h("ul", { class: "plainlist tight", ref: fading }, rows), "on-now") : null,
      spec?.warm_up ? h("p", { class: "row" }, h("a", { class: "button", href: `${to.tournament(warmUpOf(this.props.params.name))}?view=readiness` }, t("view.readiness"))) : null,
      rulingList(rulings, struck),
      // Before it begins, the field says it.
      round && missing.length > 0 ? section(t("missing"), missing.join(", ")) : null,
    ].filter((part) => part !== null);
  }
}
