// @ts-check
// One tournament: its progress, who leads and how certain that is, who met whom, what comes next.
import { setQuery, to } from "../addresses.js";
import { ApiError, asks, get, seen } from "../api.js";
import { fading, fill, h } from "../dom.js";
import { formatTitle, gameName, points, versus } from "../format.js";
import { language, remark, t, tOr } from "../i18n.js";
import { line } from "../line.js";
import { emptyCard } from "../parts/empty.js";
import { podium } from "../parts/leaders.js";
import { progressBar, trouble } from "../parts/progress.js";
import { readinessTable } from "../parts/readiness.js";
import { rulingList } from "../parts/rulings.js";
import { bracketTree, groupLists, scored } from "../parts/schedule.js";
import { SchedulePages } from "../parts/schedule_pages.js";
import { crossTable, standingsTable } from "../parts/standings.js";
import { session } from "../session.js";
import { Throttle } from "../throttle.js";

const WARM_UP = "-warm-up";
const REFRESH_MS = { soon_ms: 1000, apart_ms: 3000 };

class TournamentPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    /** @type {any} */
    this.tournament = null;
    /** @type {Record<string, any>} */
    this.parts = {};
    /** @type {import("../parts/standings.js").Row[] | null} the final standings, once all may see them */
    this.final = null;
    this.shown = "standings";
    /** the view whose table is drawn */
    this.drawn = "";
    /** the view whose tab was brought into sight */
    this.tab = "";
    this.group = "";
    /** the groups that can be chosen, a line each */
    this.groups = "";
    /** @type {string[]} whose matches the schedule shows: one player's, or two against each other; all if empty */
    this.of = [];
    /** whether the crosstable shows everybody, in a large tournament, too */
    this.everybody = false;
    this.watched = false;
    this.refresh = new Throttle(() => this.#load(), REFRESH_MS);
    this.stop = () => {};
    // What is hidden is only for some.
    this.changed = () => {
      this.parts = {};
      this.schedule?.forget();
      this.final = null;
      this.#load();
    };
  }

  connectedCallback() {
    this.shown = this.params.view ?? "standings";
    this.group = this.params.group ?? "";
    this.of = [this.params.a, this.params.b].filter(Boolean);
    this.schedule = new SchedulePages(`/tournaments/${encodeURIComponent(this.params.name)}`, () => this.shown === "schedule" && this.#show());
    this.head = h("div");
    this.tabs = h("div", { class: "tabs", role: "tablist" });
    this.choice = h("div", { class: "choice" });
    this.body = h("div", { class: "card", role: "tabpanel", id: "part" }, t("loading"));
    this.side = h("div", { class: "stack side" });
    this.files = h("p", { class: "quiet small files", hidden: true });
    this.#showFiles();
    this.seed = h("p", { class: "quiet small files" });
    this.append(this.head, h("div", { class: "tournament-body" }, h("div", { class: "row apart views" }, this.tabs, this.choice), this.body, this.side, this.files, this.seed));
    this.stop = line.watch(`tournament:${this.params.name}`, (event) => this.#take(event));
    session.addEventListener("change", this.changed);
    this.#load();
  }

  disconnectedCallback() {
    this.stop();
    session.removeEventListener("change", this.changed);
    this.refresh.stop();
  }

  /** @param {any} event */
  #take(event) {
    if (["snapshot", "progress", "state"].includes(event.type)) this.tournament = { ...this.tournament, ...event, type: undefined };
    this.#showHead();
    // The tables of the first snapshot are being asked for; another says that events were missed.
    if (event.type !== "snapshot" || this.watched) this.refresh.ask();
    this.watched = true;
  }

  async #load() {
    const base = `/tournaments/${encodeURIComponent(this.params.name)}`;
    const [reader, { parts }] = [session.now, this];
    try {
      const tournament = await get(base);
      if (reader !== session.now) return;
      this.tournament = { ...this.tournament, ...tournament };
      this.#showHead();
      if (!this.#views().includes(this.shown)) this.shown = "standings";
      const { shown } = this;
      if (shown === "schedule") await this.schedule?.load({ players: this.of, group: this.group, round: this.#round() });
      else parts[shown] = await get(`${base}/${shown}${shown === "crosstable" ? this.#whom() : ""}`);
      // The standings from before the end, or without the hidden round, name another winner.
      const final = tournament.state === "completed" && tournament.revealed;
      if (shown !== "standings" && (final || !parts.standings)) parts.standings = await get(`${base}/standings`);
      if (!this.isConnected || reader !== session.now || shown !== this.shown) return;
      this.final = final ? parts.standings.rows : null;
      this.#show();
    } catch (error) {
      if (this.tournament === null) fill(/** @type {Element} */ (this.head), h("h1", null, this.params.name));
      const early = error instanceof ApiError && error.code === "not_begun";
      if (early && this.tournament !== null) this.#showTabs();
      const text = /** @type {Error} */ (error).message || t("fault.unreachable");
      const said = h("p", { class: early ? "quiet" : "say bad" }, text);
      fill(/** @type {Element} */ (this.body), early ? emptyCard(said, "") : this.tournament === null ? emptyCard(said, "", ["/tournaments", t("nav.tournaments")]) : said);
    }
  }

  #show() {
    /** @type {HTMLElement} */ (this.files).hidden = false;
    this.#showHead();
    this.#showTabs();
    const part = this.parts[this.shown];
    const body = /** @type {Element} */ (this.body);
    // How far another table was scrolled is nothing to this one.
    if (this.drawn !== this.shown) body.replaceChildren();
    this.drawn = this.shown;
    const rows = this.parts.standings?.rows ?? [];
    const groupOf = new Map(rows.map((/** @type {any} */ row) => [row.player, row.group]));
    const inGroup = (/** @type {string} */ player) => this.group === "" || groupOf.get(player) === this.group;
    if (this.shown === "standings") {
      const some = rows.filter((/** @type {any} */ row) => inGroup(row.player));
      fill(body, this.#embargo(), some.length === 0 ? emptyCard(t("standings.none"), "") : scroll(standingsTable(some, this.params.name, session.now.player)), h("p", { class: "quiet small below" }, `${t(rows[0] && "rounds survived" in rows[0].tiebreaks ? "standings.what.survived" : "standings.what")} ${t("standings.what.rank")}`));
    } else if (this.shown === "schedule") {
      const { all = [], fixtures = [] } = this.schedule ?? {};
      const none = all.length === 0 || this.of.length === 0 ? t("schedule.none") : this.of.length === 2 ? t("schedule.never") : t("schedule.never.one", { name: this.of[0] });
      const nothing = this.of.length > 0 ? fixtures.length === 0 : all.length === 0;
      fill(body, this.#embargo(), this.#whose(fixtures), nothing ? emptyCard(none, "") : this.schedule?.show());
    } else if (this.shown === "crosstable") {
      const everybody = () => {
        this.everybody = true;
        this.#load();
      };
      const cut = part && part.total > part.players.length;
      fill(body, part && scroll(crossTable(part, this.params.name)), cut && h("p", null, h("button", { type: "button", onclick: everybody }, t("show.all", { n: part.total }))));
    } else if (this.shown === "readiness") {
      fill(body, scroll(readinessTable(part?.readiness ?? [])));
    } else if (this.shown === "groups") {
      fill(body, groupLists(part?.groups ?? []));
    } else {
      fill(body, scroll(part?.rounds?.length ? bracketTree(part, this.params.name) : emptyCard(t("bracket.none"), "")));
    }
    this.#showSide();
  }

  /** Whose matches these are, how two stand against each other, and the way back to all. @param {any[]} fixtures */
  #whose(fixtures) {
    if (this.of.length === 0) return null;
    const all = async () => {
      this.of = [];
      this.#remember();
      await this.#load();
      // Where the button was there is nothing to go on from.
      /** @type {HTMLElement | null | undefined} */ (this.tabs?.querySelector("[aria-selected=true]"))?.focus();
    };
    const score = fixtures.some(({ returns }) => returns !== null) ? ` ${points(scored(fixtures, this.of[0]))} – ${points(scored(fixtures, this.of.at(-1) ?? ""))} ` : " – ";
    const names = this.of.map((name) => h("a", { href: to.player(name) }, h("b", null, h("bdi", null, name))));
    return h("div", { class: "row apart whose" }, h("span", null, names[0], names.length > 1 ? score : null, names[1]), h("button", { type: "button", onclick: all }, t("schedule.all")));
  }

  #showFiles() {
    const base = `/api/v1/tournaments/${encodeURIComponent(this.params.name)}`;
    const files = ["standings", "crosstable", "schedule"].map((part) => h("a", { href: seen(`${base}/${part}.csv?language=${language}`), download: "" }, t(`view.${part}`)));
    fill(/** @type {Element} */ (this.files), `${t("csv")} `, files);
  }

  #embargo() {
    if (this.tournament?.revealed !== false) return null;
    const turn = () => {
      asks.hidden = !asks.hidden;
      this.parts = {};
      this.schedule?.forget();
      this.#showFiles();
      this.#load();
    };
    const may = session.now.role === "teacher" && this.tournament.hides;
    return h("p", { class: "say row apart" }, h("span", null, t("embargo")), may ? h("button", { type: "button", class: "hidden-too", onclick: turn }, t(asks.hidden ? "hidden.hide" : "hidden.show")) : null);
  }

  /** The seed, or what its server is committed to until everybody may know it. */
  #showSeed() {
    const { seed, commitment } = this.tournament;
    fill(/** @type {Element} */ (this.seed), commitment && [t(seed === null ? "seed.sealed" : "seed.known", { seed }), h("code", null, commitment)]);
  }

  #showHead() {
    const { tournament } = this;
    if (!tournament || !tournament.name) return;
    this.#showSeed();
    const players = typeof tournament.players === "number" ? tournament.players : tournament.players?.length;
    const over = tournament.state === "completed";
    const what = [
      formatTitle(tournament),
      (tournament.games ?? []).map(gameName).join(", "),
      players ? t("players.n", { n: players }) : null,
      over ? t("matches.n", { n: tournament.played }) : null,
    ];
    fill(
      /** @type {Element} */ (this.head),
      h("div", { class: "row apart" }, h("h1", null, tournament.title || tournament.name), h("span", { class: `state ${tournament.state}` }, tOr(`state.${tournament.state}`, tournament.state))),
      h("p", { class: "facts" }, what.filter(Boolean).join(" · ")),
      over ? this.final && podium(this.final) : progressBar(tournament),
      tournament.why_paused ? h("p", { class: "say" }, remark(tournament.why_paused)) : null,
      trouble(tournament),
    );
    document.title = `${tournament.title || tournament.name} · Palestra`;
  }

  /** The round in which something is being played, or that is to be. @returns {number} */
  #round() {
    const playing = (this.tournament?.playing ?? []).map((/** @type {any} */ { round }) => round);
    return playing.length > 0 ? Math.min(...playing) : this.tournament?.round || 1;
  }

  /** Whom the crosstable shows. */
  #whom() {
    return `?${new URLSearchParams({ limit: this.everybody ? "1000" : "40", ...(this.group !== "" && { group: this.group }) })}`;
  }

  /** What there is to see of this tournament. @returns {string[]} */
  #views() {
    return [...(this.tournament?.views ?? []), ...(this.params.name.endsWith(WARM_UP) ? ["readiness"] : [])];
  }

  #showTabs() {
    const tabs = this.#views().map((view) =>
      h("button", { type: "button", role: "tab", "aria-selected": String(view === this.shown), "aria-controls": "part", onclick: () => this.#choose(view) }, t(`view.${view}`)),
    );
    fill(/** @type {Element} */ (this.tabs), tabs);
    const groups = [...new Set((this.parts.standings?.rows ?? []).map((/** @type {any} */ row) => row.group).filter(Boolean))].sort();
    // An open list of groups would fold in under the reader.
    const key = groups.join("\n");
    if (key !== this.groups) this.#showGroups(groups);
    this.groups = key;
    // Once, or each result would scroll a reader back up to the tabs.
    if (this.tab !== this.shown) this.tabs?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.tab = this.shown;
  }

  /** @param {string[]} groups */
  #showGroups(groups) {
    const choice = h("select", { "aria-label": t("group") }, h("option", { value: "" }, t("group.all")), groups.map((group) => h("option", { value: group, selected: group === this.group }, group)));
    choice.addEventListener("change", () => {
      this.group = choice.value;
      this.#remember();
      this.#load();
    });
    fill(/** @type {Element} */ (this.choice), groups.length > 1 ? choice : null);
  }

  /** @param {string} view */
  #choose(view) {
    this.shown = view;
    this.#remember();
    this.#showTabs();
    this.#load();
  }

  #remember() {
    setQuery({ ...(this.shown !== "standings" && { view: this.shown }), ...(this.group !== "" && { group: this.group }), ...(this.shown === "schedule" && Object.fromEntries(this.of.map((name, at) => ["ab"[at], name]))) });
  }

  #showSide() {
    const { playing = [], missing = [] } = this.tournament ?? {};
    const rows = playing.map((/** @type {any} */ fixture) => {
      const text = versus(fixture.players, "–");
      return h("li", null, fixture.match ? h("a", { href: to.match(fixture.match) }, text) : text, h("div", { class: "quiet small" }, gameName(fixture.game)));
    });
    fill(
      /** @type {Element} */ (this.side),
      rows.length > 0 ? h("section", null, h("h2", null, t("state.playing")), h("div", { class: "card" }, h("ul", { class: "plainlist tight" }, rows))) : null,
      this.tournament?.spec?.warm_up ? h("p", { class: "row" }, h("a", { class: "button", href: `${to.tournament(`${this.params.name.slice(0, 32)}${WARM_UP}`)}?view=readiness` }, t("view.readiness"))) : null,
      rulingList(this.tournament?.rulings ?? []),
      missing.length > 0 ? h("section", null, h("h2", null, t("missing")), h("div", { class: "card" }, missing.map((/** @type {any} */ one) => one.name ?? one).join(", "))) : null,
    );
  }
}

/** @param {Element} table that may be wider than the page */
const scroll = (table) => fading(h("div", { class: "scroll", tabindex: 0 }, table));

customElements.define("page-tournament", TournamentPage);
