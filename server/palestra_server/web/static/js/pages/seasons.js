// @ts-check
// Seasons: all of them, or the table of one, in which tournaments count together; and for the teacher, marks and a new one.
import { go, to } from "../addresses.js";
import { call, get, post, seen } from "../api.js";
import { confirmed } from "../dialogs.js";
import { number, rankRange } from "../format.js";
import { explained, remark, t, tOr } from "../i18n.js";
import { hiddenNotice } from "../parts/progress.js";
import { interval, ranked, scaleOf } from "../parts/standings.js";
import { session } from "../session.js";
import { marksDialog } from "../teacher/marks.js";
import { attempt, fault } from "../teacher/said.js";
import { createRef, h, scrolling, table, View } from "../view.js";
/** @import { Params, Remark } from "../types.js" */
/** @import { Children } from "../view.js" */

/** @typedef {{name: string, title: string, weight: number, state: string}} Leg */
/** @typedef {{name: string, title: string, tournaments: Leg[], scoring: string, best: number, seeding: string, graded: boolean, hides: boolean}} Season */
/** @typedef {{place: number, students: number, points: number, came: boolean, score: number, counts: boolean} | null} Score */
/** @typedef {{rank: number, player: string, group: string, total: number, legs: Score[], rating: {elo: number, low: number, high: number, rank_low: number | null, rank_high: number | null} | null}} Row */

const FIRST = 5;
/** The list shows the tables of so many seasons, the newest. */
const SHOWN = 4;
/** Of a course in a table: the width of a tournament, and the height. */
const [DOT_PX, COURSE_PX] = [14, 20];

/** @typedef {{seasons: Season[], example: string, tables: {[name: string]: Row[]}, said: Children}} State */

/** @extends {View<{params: Params}, State>} */
export default class SeasonsPage extends View {
  /** @type {State} */
  state = { seasons: [], example: "", tables: {}, said: h("p", { class: "quiet" }, t("loading")) };
  file = createRef();

  get name() {
    return this.props.params.name;
  }

  componentDidMount() {
    this.hear(session, "change", () => this.#load());
    this.#load();
  }

  async #load() {
    await attempt(this, async () => {
      if (this.name === undefined) {
        const { seasons, example } = await get("/seasons");
        this.setState({ seasons: seasons.reverse(), example, said: null, tables: await tables(seasons.slice(0, SHOWN)) });
        return;
      }
      const season = await get(`/seasons/${encodeURIComponent(this.name)}`);
      document.title = `${season.title} · Palestra`;
      this.setState({ seasons: [season], tables: await tables([season]), said: null });
    });
  }

  render() {
    const { seasons, tables, said } = this.state;
    const rows = tables[this.name];
    const body = this.name === undefined ? this.#all() : rows !== undefined ? this.#one(seasons[0], rows) : null;
    return h("page-seasons", { ref: this.root }, this.name === undefined ? h("h1", null, t("seasons")) : null, h("div", { class: "stack" }, h("div", { "aria-live": "polite" }, said), body));
  }

  #all() {
    const { seasons, tables, said } = this.state;
    return [
      h("div", { class: "stack seasons" }, seasons.length > 0 || said !== null ? seasons.map((season) => shown(season, tables[season.name] ?? [])) : h("p", { class: "quiet" }, t("seasons.none"))),
      session.now.runs ? this.#form() : null,
    ];
  }

  #form() {
    const make = () =>
      attempt(this, async () => {
        const made = await post("/seasons", { toml: this.file.current.value });
        await this.#load();
        this.setState({ said: h("p", { class: "say ok" }, t("season.made", { title: made.title }), made.remarks.map((/** @type {Remark} */ each) => h("div", { class: "small" }, remark(each, "file")))) });
      });
    return h(
      "section",
      { class: "card stack" },
      h("h2", null, t("season.new")),
      h("textarea", { class: "code", rows: 16, spellcheck: false, "aria-label": t("season.file"), ref: this.file, defaultValue: explained(this.state.example) }),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", onClick: make }, t("season.create"))),
    );
  }

  /** @param {Season} season @param {Row[]} rows */
  #one(season, rows) {
    const remove = async () => {
      if (!(await confirmed(t("season.delete.sure", { name: season.title }), t("tournament.delete")))) return;
      await call("DELETE", `/seasons/${encodeURIComponent(season.name)}`).then(() => go("/seasons"), (error) => this.setState({ said: fault(error) }));
    };
    const teacher = session.now.role === "teacher";
    const path = `/seasons/${encodeURIComponent(season.name)}`;
    return [
      h("div", { class: "row apart" }, h("h1", null, season.title), h("a", { class: "button", href: "/seasons" }, t("seasons"))),
      h("p", { class: "quiet" }, t(season.best < season.tournaments.length ? "season.best" : "season.all", { n: season.best, of: season.tournaments.length }), season.seeding === "ratings" ? ` ${t("season.seeding")}` : null),
      season.hides ? hiddenNotice(teacher, () => this.#load()) : null,
      h("div", { class: "card" }, rows.length === 0 ? h("p", { class: "quiet" }, t("season.nobody")) : scrolling(seasonTable(season, rows))),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button", href: `/api/v1${seen(`${path}/standings.csv`)}`, download: "" }, t("season.csv")),
        teacher && season.graded ? h("button", { type: "button", onClick: () => marksDialog({ ...season, path }) }, t("grades")) : null,
        session.now.runs ? h("button", { type: "button", onClick: remove }, t("tournament.delete")) : null,
      ),
    ];
  }
}

/** @param {Season[]} seasons */
async function tables(seasons) {
  return Object.fromEntries(await Promise.all(seasons.map(async ({ name }) => [name, (await get(`/seasons/${encodeURIComponent(name)}/standings`)).rows])));
}

/** A season in the list: how far it is, and who leads. @param {Season} season @param {Row[]} rows */
function shown(season, rows) {
  const { name, title, tournaments } = season;
  return h(
    "section",
    { key: name, class: "card stack" },
    h("div", { class: "row apart" }, h("h2", null, h("a", { href: to.season(name) }, title)), h("span", { class: "quiet small" }, t("season.over", { n: tournaments.filter(({ state }) => state === "completed").length, of: tournaments.length }))),
    rows.length === 0 ? h("p", { class: "quiet small" }, tournaments.map((leg) => leg.title).join(" · ")) : scrolling(seasonTable(season, rows.slice(0, FIRST))),
    rows.length > FIRST ? h("a", { class: "small", href: to.season(name) }, t("season.more", { n: rows.length })) : null,
  );
}

/** @param {Season} season @param {Row[]} rows */
function seasonTable(season, rows) {
  const rated = rows.map((row) => ({ ...row, rating: row.rating?.elo ?? null, rating_low: row.rating?.low ?? null, rating_high: row.rating?.high ?? null }));
  const scale = scaleOf(/** @type {any} */ (rated));
  const head = [
    ...ranked(scale !== null, t("season.total")),
    h("th", { scope: "col" }, t("season.course")),
    season.tournaments.map((leg) => h("th", { key: leg.name, class: "num leg-head", scope: "col" }, leg.state === "planned" ? leg.title : h("a", { href: to.tournament(leg.name) }, leg.title), leg.weight === 1 ? null : h("span", { class: "quiet small" }, ` ×${number(leg.weight)}`), leg.state === "completed" ? null : h("span", { class: "quiet small" }, ` ${tOr(`state.${leg.state}`, t("season.planned"))}`))),
    scale ? h("th", { class: "strength", scope: "col" }, t("strength")) : null,
  ];
  const highest = Math.max(1, ...rows.flatMap((row) => row.legs.map((leg, at) => (leg === null ? 0 : leg.score / season.tournaments[at].weight))));
  const body = rows.map((row, at) =>
    h(
      "tr",
      { key: row.player, class: row.player === session.now.player ? "mine" : null },
      h("td", { class: "num place-number" }, row.rank),
      scale ? h("td", { class: "ranks" }, rankRange(row.rating?.rank_low ?? null, row.rating?.rank_high ?? null)) : null,
      h("td", { class: "player-cell" }, h("a", { href: to.player(row.player) }, row.player), row.group ? h("span", { class: "quiet small" }, ` ${row.group}`) : null),
      h("td", { class: "num" }, h("b", null, number(row.total))),
      h("td", null, sparkline(row.legs.map((leg, each) => (leg === null ? null : leg.score / season.tournaments[each].weight / highest)), row.legs.map((leg) => (leg === null ? "–" : number(leg.score))).join(", "))),
      row.legs.map((leg) => score(leg)),
      scale ? h("td", null, interval(/** @type {any} */ (rated[at]), scale)) : null,
    ),
  );
  return table({ class: "standings season" }, head, body);
}

/** A course in the space of a word: a dot for each value between 0 and 1, joined where none is missing in between. @param {(number | null)[]} values @param {string} words the same, to be read aloud */
function sparkline(values, words) {
  const dots = values.flatMap((value, at) => (value === null ? [] : [{ x: DOT_PX * (at + 0.5), y: 3 + (1 - value) * (COURSE_PX - 6) }]));
  return h(
    "svg",
    { class: "sparkline", width: DOT_PX * values.length, height: COURSE_PX, role: "img", "aria-label": words },
    h("title", null, words),
    dots.length > 1 ? h("polyline", { points: dots.map(({ x, y }) => `${x},${y.toFixed(1)}`).join(" ") }) : null,
    dots.map(({ x, y }, at) => h("circle", { cx: x, cy: y, r: at === dots.length - 1 ? 2.6 : 1.8 })),
  );
}

/** @param {Score} leg */
function score(leg) {
  if (leg === null) return h("td", { class: "num quiet" }, "–");
  const words = t(leg.came ? "season.place" : "season.away", { place: leg.place, of: leg.students });
  return h("td", { class: "num", title: words }, leg.counts ? number(leg.score) : [h("s", { class: "quiet", "aria-hidden": "true" }, number(leg.score)), h("span", { class: "only-read" }, t("season.struck", { score: number(leg.score) }))]);
}
