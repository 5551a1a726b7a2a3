// @ts-check
// The teacher's tournaments: start, pause, resume, reveal, grades.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { chosen, confirmed } from "../dialogs.js";
import { formatTitle, gameName } from "../format.js";
import { t, tOr } from "../i18n.js";
import { byState, progressBar, trouble, WARM_UP, warmUpOf, withoutOldWarmUps } from "../parts/progress.js";
import { readyPlayers } from "../parts/readiness.js";
import { h, View } from "../view.js";
import { ended } from "./ending.js";
import { fault } from "./import.js";
import { marksDialog } from "./marks.js";
import { NewTournament } from "./new_tournament.js";

/** @typedef {import("../types.js").Tournament} Tournament */
/** @typedef {import("../view.js").Children} Children */

const POLL_MS = { running: 3000, still: 10_000 };

/** @typedef {{tournaments: Tournament[], troubles: import("../types.js").Remark[], said: Children, loaded: boolean, ready: Record<string, string>}} State */

/** @extends {View<{}, State>} */
export class TournamentsPanel extends View {
  /** @type {State} */
  state = { tournaments: [], troubles: [], said: null, loaded: false, ready: {} };
  timer = 0;

  componentDidMount() {
    this.until(() => clearTimeout(this.timer));
    this.load();
  }

  async load() {
    try {
      const { tournaments: all, troubles } = await get("/tournaments");
      const tournaments = withoutOldWarmUps(all).sort(byState);
      const ready = await readyFor(tournaments);
      if (this.element === null) return;
      this.setState({ tournaments, troubles, loaded: true, ready });
      clearTimeout(this.timer);
      // Another tab, a command or a start time may change what looks idle here.
      this.timer = setTimeout(() => this.load(), tournaments.some(({ state }) => state === "running") ? POLL_MS.running : POLL_MS.still);
    } catch (error) {
      this.setState({ said: fault(error) });
    }
  }

  /** @param {string} what @param {Tournament} one @param {string} question */
  async #act(what, one, question) {
    if (question !== "" && !(await confirmed(question, t(`tournament.${what}`)))) return;
    const path = `/tournaments/${encodeURIComponent(one.name)}`;
    try {
      const state = await (what === "delete" ? call("DELETE", path) : post(`${path}/${what}`));
      const first = what === "start" && (state.state === "draft" || state.state === "waiting");
      this.#done(first ? "warm-up" : what, { name: one.title || one.name }, what === "start" ? await away(state) : null);
    } catch (error) {
      this.setState({ said: fault(error) });
    }
    await this.load();
  }

  /** @param {Tournament} one */
  async #end(one) {
    try {
      if (await ended(one)) this.#done("finish", { name: one.title || one.name });
    } catch (error) {
      this.setState({ said: fault(error) });
    }
    await this.load();
  }

  /** Asks for a player of those who can be withdrawn, or let back in. @param {"withdraw" | "reinstate"} what @param {Tournament} one */
  async #choose(what, one) {
    const path = `/tournaments/${encodeURIComponent(one.name)}`;
    try {
      /** @type {{entrants: {name: string, reference: boolean}[], withdrawn: object}} */
      const { entrants, withdrawn } = await get(path);
      const names = entrants.filter((each) => !each.reference && each.name in withdrawn === (what === "reinstate")).map((each) => each.name);
      if (names.length === 0) {
        this.setState({ said: h("p", { class: "say" }, t(`tournament.${what}.nobody`)) });
        return;
      }
      const player = await chosen(t(`tournament.${what}.who`, { name: one.title || one.name }), t(`tournament.${what}`), names);
      if (player === "") return;
      await post(`${path}/${what}`, { player });
      this.#done(what, { name: one.title || one.name, player });
    } catch (error) {
      this.setState({ said: fault(error) });
    }
    await this.load();
  }

  /** @param {string} what @param {Record<string, string>} values @param {Children} [more] */
  #done(what, values, more = null) {
    this.setState({ said: [h("p", { class: "say ok" }, t(`tournament.did.${what}`, values)), more] });
  }

  render() {
    const { tournaments, troubles, said, loaded, ready } = this.state;
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "tournaments" },
      h("h2", null, t("nav.tournaments")),
      h("div", { role: "status" }, said),
      trouble({ troubles }),
      h("div", { class: "cards wide" }, loaded && tournaments.length === 0 ? h("p", { class: "quiet" }, t("tournaments.none.teacher")) : tournaments.map((one) => h(TournamentRow, { key: one.name, one, ready: ready[one.name], onEnd: () => this.#end(one), onAct: (what, question) => this.#act(what, one, question), onChoose: (what) => this.#choose(what, one) }))),
      h(NewTournament, { onDone: () => this.load() }),
    );
  }
}

/** @extends {View<{one: Tournament, ready?: string, onAct: (what: string, question: string) => void, onEnd: () => void, onChoose: (what: "withdraw" | "reinstate") => void}>} */
class TournamentRow extends View {
  render() {
    const { one, ready, onAct, onEnd, onChoose } = this.props;
    const { state } = one;
    const name = one.title || one.name;
    const button = (/** @type {string} */ what, /** @type {() => void} */ act, label = t(`tournament.${what}`)) => h("button", { key: what, type: "button", class: what, onClick: act }, label);
    const act = (/** @type {string} */ what, question = "") => button(what, () => onAct(what, question));
    const begun = state !== "draft" && state !== "waiting";
    const on = state === "running" || state === "paused";
    // It says who is ready, and grades nobody.
    const warmUp = one.name.endsWith(WARM_UP);
    return h(
      "article",
      { ref: this.root, class: "tournament-row", "data-tournament": one.name },
      h("div", { class: "row apart" }, h("a", { href: to.tournament(one.name) }, h("b", null, name)), h("span", { class: `state ${state}` }, tOr(`state.${state}`, state))),
      h("span", { class: "quiet small" }, [formatTitle(one), (one.games ?? []).map(gameName).join(", ")].filter(Boolean).join(" · ")),
      progressBar(one),
      ready === undefined ? null : h("div", { class: "say" }, ready, " ", h("a", { href: `${to.tournament(warmUpOf(one.name))}?view=readiness` }, t("view.readiness"))),
      trouble(one),
      h(
        "div",
        { class: "row" },
        begun ? null : act("start"),
        state === "running" ? act("pause") : null,
        state === "paused" || one.closed ? act("resume") : null,
        on && !one.closed ? button("finish", onEnd) : null,
        warmUp && state !== "draft" ? h("a", { class: "button", href: `${to.tournament(one.name)}?view=readiness` }, t("view.readiness")) : null,
        one.hides ? act("reveal", t("tournament.reveal.sure")) : null,
        on ? button("withdraw", () => onChoose("withdraw")) : null,
        begun && !one.closed ? button("reinstate", () => onChoose("reinstate")) : null,
        begun && !warmUp ? button("grades", () => marksDialog(one), t("grades")) : null,
        state === "running" ? null : act("delete", t("tournament.delete.sure", { name })),
      ),
    );
  }
}

/** How many are ready for each tournament whose warm-up is over, in words, by its name. @param {Tournament[]} all */
async function readyFor(all) {
  const waiting = all.filter(({ name, state }) => (state === "draft" || state === "waiting") && all.some((one) => one.name === warmUpOf(name) && one.state === "completed"));
  const words = waiting.map(async ({ name }) => [name, t("tournament.ready", readyPlayers((await get(`/tournaments/${encodeURIComponent(warmUpOf(name))}/readiness`)).readiness))]);
  return Object.fromEntries(await Promise.all(words));
}

/** Who is not connected, now that a tournament (or first its warm-up) has begun. @param {Tournament} state */
async function away(state) {
  /** @type {Tournament} */
  const begun = state.state === "draft" || state.state === "waiting" ? await get(`/tournaments/${encodeURIComponent(warmUpOf(state.name))}`) : state;
  const { entrants = [], missing = [], spec } = begun;
  const players = entrants.filter((one) => !one.reference).map(({ name }) => name);
  const names = players.filter((name) => missing.includes(name));
  if (names.length === 0 || spec === undefined) return null;
  return h("p", { class: "say" }, t(spec.absent === "wait" ? "tournament.away.wait" : "tournament.away", { n: names.length, of: players.length, names: names.join(", "), s: spec.clock.ready_ms / 1000 }));
}
