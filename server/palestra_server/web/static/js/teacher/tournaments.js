// @ts-check
// The teacher's tournaments: start, pause, resume, reveal, grades.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { chosen, confirmed, ticked } from "../dialogs.js";
import { dotted, formatTitle, gameName } from "../format.js";
import { t } from "../i18n.js";
import { Champion, NAMED } from "../parts/leaders.js";
import { byState, progressBar, stateMark, trouble, WARM_UP, warmUpOf, withoutOldWarmUps } from "../parts/progress.js";
import { readyPlayers } from "../parts/readiness.js";
import { session } from "../session.js";
import { h, View } from "../view.js";
import { marksDialog } from "./marks.js";
import { NewTournament } from "./new_tournament.js";
import { attempt, Panel } from "./said.js";
/** @import { Fixture, Remark, Tournament } from "../types.js" */
/** @import { Children } from "../view.js" */

const POLL_MS = { running: 3000, still: 10_000 };
/** Of what is left unplayed where a tournament is ended before its time. */
const SHOWN = 10;

/** @typedef {{tournaments: Tournament[], troubles: Remark[], said: Children, loaded: boolean, ready: Record<string, string>}} State */

/** @extends {Panel<State>} */
export class TournamentsPanel extends Panel {
  /** @type {State} */
  state = { tournaments: [], troubles: [], said: null, loaded: false, ready: {} };

  async load() {
    await attempt(this, async () => {
      const { tournaments: all, troubles } = await get("/tournaments");
      const tournaments = withoutOldWarmUps(all).sort(byState);
      const ready = await readyFor(tournaments);
      if (this.element === null) return;
      this.setState({ tournaments, troubles, loaded: true, ready });
      // Another tab, a command or a start time may change what looks idle here.
      this.later(tournaments.some(({ state }) => state === "running") ? POLL_MS.running : POLL_MS.still, () => this.load());
    });
  }

  /** @param {string} what @param {Tournament} one @param {string} question */
  async #act(what, one, question) {
    if (question !== "" && !(await confirmed(question, t(`tournament.${what}`)))) return null;
    const path = pathOf(one);
    // A warm-up goes and comes with what it is for, and its matches stay.
    const file = what === "delete" && !begun(one) && !(await get(path)).spec.warm_up ? await get(`${path}/tournament.toml`) : null;
    const state = await (what === "delete" ? call("DELETE", path) : post(`${path}/${what}`));
    if (what === "pause") return this.#did(what, one, () => post(`${path}/resume`));
    if (file !== null) return this.#did(what, one, () => post("/tournaments", { toml: file }));
    return [this.#did(what === "start" && !begun(state) ? "warm-up" : what, one), what === "start" ? await away(state) : null];
  }

  /** @param {Tournament} one @param {string} match one that cannot go on */
  async #repeat(one, match) {
    if (!(await confirmed(t("tournament.repeat.sure", { match }), t("tournament.repeat", { match })))) return null;
    await post(`${pathOf(one)}/repeat`, { match });
    return this.#did("repeat", one);
  }

  /** Ends it before its time: says what is left unplayed, and asks which results count then. @param {Tournament} one */
  async #end(one) {
    const path = pathOf(one);
    /** @type {{fixtures: Fixture[], next: number | null}} */
    const { fixtures, next } = await get(`${path}/schedule?state=waiting&limit=${SHOWN}`);
    const unplayed = fixtures.map(({ id, round, players, game }) => h("li", { key: id }, `${t("round.n", { n: round })} · ${players.join(" – ")} · ${gameName(game)}`));
    const left = one.total === null ? "?" : one.total - one.played;
    const about = h("ul", { class: "plainlist small" }, unplayed, next === null ? null : h("li", null, "…"));
    const counts_all = await ticked(t("tournament.finish.sure", { name: one.title, n: left }), t("tournament.finish"), about, t("tournament.finish.all"));
    if (counts_all === null) return null;
    await post(`${path}/finish`, { counts_all });
    return this.#did("finish", one, () => post(`${path}/resume`));
  }

  /** Asks for a player of those who can join, be withdrawn, or let back in. @param {"add" | "withdraw" | "reinstate"} what @param {Tournament} one */
  async #choose(what, one) {
    const path = pathOf(one);
    /** @type {{entrants: {name: string, reference: boolean}[], withdrawn: object}} */
    const { entrants, withdrawn } = await get(path);
    /** @type {{name: string, banned?: boolean, reference?: boolean}[]} */
    const all = what === "add" ? (await get("/roster")).players : entrants;
    const fits = (/** @type {string} */ name) => (what === "add" ? !entrants.some((each) => each.name === name) : name in withdrawn === (what === "reinstate"));
    const names = all.filter((each) => !each.banned && !each.reference && fits(each.name)).map((each) => each.name);
    if (names.length === 0) return h("p", { class: "say" }, t(`tournament.${what}.nobody`));
    const player = await chosen(t(`tournament.${what}.who`, { name: one.title }), t(`tournament.${what}`), names);
    if (player === "") return null;
    await post(`${path}/${what}`, what === "add" ? { players: [player] } : { player });
    return this.#did(what, one, what === "add" ? null : () => post(`${path}/${what === "withdraw" ? "reinstate" : "withdraw"}`, { player }), player);
  }

  /** @param {Tournament} made */
  #created(made) {
    return this.#did("create", made, async () => {
      await call("DELETE", pathOf(made));
      if (made.spec?.warm_up) await call("DELETE", pathOf({ name: warmUpOf(made.name) }));
    });
  }

  /** What was done, and how to take it back if it can be. @param {string} what @param {Tournament} one @param {(() => Promise<unknown>) | null} [undo] */
  #did(what, one, undo = null, player = "") {
    return this.did(t(`tournament.did.${what}`, { name: one.title, player }), undo);
  }

  render() {
    const { tournaments, troubles, said, loaded, ready } = this.state;
    const row = (/** @type {Tournament} */ one, /** @type {boolean} */ named) => h(TournamentRow, { key: one.name, one, named, ready: ready[one.name], onEnd: () => this.act(() => this.#end(one)), onRepeat: (match) => this.act(() => this.#repeat(one, match)), onAct: (what, question) => this.act(() => this.#act(what, one, question)), onChoose: (what) => this.act(() => this.#choose(what, one)) });
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "tournaments" },
      h("h2", null, t("nav.tournaments")),
      h("div", { role: "status" }, said),
      trouble({ troubles }),
      h("div", { class: "cards wide" }, loaded && tournaments.length === 0 ? h("p", { class: "quiet" }, t("tournaments.none.teacher")) : tournaments.filter((one) => !settled(one)).map((one) => row(one, false))),
      tournaments.some(settled) ? h("div", { class: "card settled" }, h("h3", null, t("tournaments.over")), tournaments.filter(settled).reverse().map((one, at) => row(one, at < NAMED))) : null,
      session.now.runs && h(NewTournament, { onDone: (made) => this.act(async () => this.#created(made)) }),
    );
  }
}

/** @extends {View<{one: Tournament, named: boolean, ready?: string, onAct: (what: string, question: string) => void, onEnd: () => void, onRepeat: (match: string) => void, onChoose: (what: "add" | "withdraw" | "reinstate") => void}>} */
class TournamentRow extends View {
  render() {
    const { one, named, ready, onAct, onEnd, onRepeat, onChoose } = this.props;
    const { state } = one;
    const name = one.title;
    const button = (/** @type {string} */ what, /** @type {() => void} */ act, label = t(`tournament.${what}`)) => h("button", { key: what, type: "button", class: what, onClick: act }, label);
    const act = (/** @type {string} */ what, question = "") => button(what, () => onAct(what, question));
    const { runs } = session.now;
    const begins = !begun(one);
    const whole = settled(one) && !one.closed;
    const on = runs && (state === "running" || state === "paused");
    // It says who is ready, and grades nobody.
    const warmUp = one.name.endsWith(WARM_UP);
    const stuck = one.troubles.flatMap(({ code, values }) => (code === "stuck" ? [String(values.match)] : []));
    return h(
      "article",
      { ref: this.root, class: "tournament-row", "data-tournament": one.name },
      h("div", { class: "row apart" }, h("a", { href: to.tournament(one.name) }, h("b", null, name)), stateMark(one)),
      h("span", { class: "quiet small" }, dotted([formatTitle(one), (one.games ?? []).map(gameName).join(", "), whole ? t("matches.n", { n: one.played }) : ""])),
      whole ? null : progressBar(one),
      named && h(Champion, { tournament: one }),
      ready === undefined ? null : h("div", { class: "say" }, ready, " ", h("a", { href: `${to.tournament(warmUpOf(one.name))}?view=readiness` }, t("view.readiness"))),
      trouble(one),
      h(
        "div",
        { class: "row" },
        on ? stuck.map((match) => h("button", { key: match, type: "button", class: "repeat", onClick: () => onRepeat(match) }, t("tournament.repeat", { match }))) : null,
        begins && runs ? act("start") : null,
        on && state === "running" ? act("pause") : null,
        runs && (state === "paused" || one.closed) ? act("resume") : null,
        on && !one.closed ? button("finish", onEnd) : null,
        warmUp && state !== "draft" ? h("a", { class: "button", href: `${to.tournament(one.name)}?view=readiness` }, t("view.readiness")) : null,
        runs && one.hides ? act("reveal", t("tournament.reveal.sure")) : null,
        on && !one.closed && !warmUp && !one.views.includes("bracket") ? button("add", () => onChoose("add")) : null,
        on ? button("withdraw", () => onChoose("withdraw")) : null,
        runs && !begins && !one.closed ? button("reinstate", () => onChoose("reinstate")) : null,
        !begins && !warmUp ? button("grades", () => marksDialog({ ...one, path: pathOf(one) }), t("grades")) : null,
        state === "running" || !runs ? null : act("delete", t("tournament.delete.sure", { name })),
      ),
    );
  }
}

/** @param {{name: string}} one */
const pathOf = ({ name }) => `/tournaments/${encodeURIComponent(name)}`;

/** @param {{state: string}} one */
const begun = ({ state }) => state !== "draft" && state !== "waiting";

/** Whether nothing is left to do but to look back. @param {Tournament} one */
const settled = (one) => one.state === "completed" && one.troubles.length === 0 && !one.hides;

/** How many are ready for each tournament whose warm-up is over, in words, by its name. @param {Tournament[]} all */
async function readyFor(all) {
  const waiting = all.filter((each) => !begun(each) && all.some((one) => one.name === warmUpOf(each.name) && one.state === "completed"));
  const words = waiting.map(async ({ name }) => [name, t("tournament.ready", readyPlayers((await get(`${pathOf({ name: warmUpOf(name) })}/readiness`)).readiness))]);
  return Object.fromEntries(await Promise.all(words));
}

/** Who is not connected, now that a tournament (or first its warm-up) has begun. @param {Tournament} state */
async function away(state) {
  /** @type {Tournament} */
  const { entrants = [], missing = [], spec } = begun(state) ? state : await get(pathOf({ name: warmUpOf(state.name) }));
  const players = entrants.filter((one) => !one.reference).map(({ name }) => name);
  const names = players.filter((name) => missing.includes(name));
  if (names.length === 0 || spec === undefined) return null;
  return h("p", { class: "say" }, t(spec.absent === "wait" ? "tournament.away.wait" : "tournament.away", { n: names.length, of: players.length, names: names.join(", "), s: spec.clock.ready_ms / 1000 }));
}
