// @ts-check
// The teacher's tournaments: a new one from a file, start, pause, resume, reveal, grades.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { chosen, confirmed } from "../dialogs.js";
import { fill, h, refill } from "../dom.js";
import { formatTitle, gameName } from "../format.js";
import { explained, t, tOr } from "../i18n.js";
import { byState, progressBar, trouble } from "../parts/progress.js";
import { fault, fileFault } from "./import.js";
import { marksDialog } from "./marks.js";

const POLL_MS = { running: 3000, still: 10_000 };

export class TournamentsPanel {
  constructor() {
    this.list = h("div", { class: "cards wide" });
    this.say = h("div", { role: "status" });
    this.failed = h("div");
    this.element = h("section", { class: "card stack", id: "tournaments" }, h("h3", null, t("nav.tournaments")), this.say, this.failed, this.list, this.#editor());
    this.timer = 0;
    /** @type {Map<string, {key: string, element: HTMLElement, progress: HTMLElement}>} */
    this.cards = new Map();
    this.load();
  }

  close() {
    clearTimeout(this.timer);
  }

  async load() {
    try {
      const { tournaments: all, troubles } = await get("/tournaments");
      // A warm-up is of interest until what it was for begins.
      const tournaments = all.filter((/** @type {any} */ one) => one.state !== "completed" || !one.name.endsWith("-warm-up") || all.some((/** @type {any} */ other) => one.name === `${other.name.slice(0, 32)}-warm-up` && (other.state === "draft" || other.state === "waiting")));
      fill(this.failed, trouble({ troubles }));
      tournaments.sort(byState);
      refill(this.list, tournaments.length === 0 ? [h("p", { class: "quiet" }, t("tournaments.none.teacher"))] : tournaments.map((/** @type {any} */ one) => this.#card(one)));
      const running = tournaments.some((/** @type {any} */ one) => one.state === "running");
      clearTimeout(this.timer);
      // Another tab, a command or a start time may change what looks idle here.
      if (this.element.isConnected) this.timer = setTimeout(() => this.load(), running ? POLL_MS.running : POLL_MS.still);
    } catch (error) {
      fill(this.say, fault(error));
    }
  }

  /** @param {any} one */
  #card(one) {
    const { name, title, state, format, games, hides, closed, total, played } = one;
    const key = JSON.stringify([title, state, format, games, hides, closed, total - played]);
    const card = this.cards.get(name) ?? { key: "", element: h("article", { class: "tournament-row", "data-tournament": name }), progress: h("div") };
    this.cards.set(name, card);
    if (card.key !== key) fill(card.element, this.#inside(one, card.progress));
    card.key = key;
    fill(card.progress, progressBar(one), trouble(one));
    return card.element;
  }

  /** @param {any} one @param {HTMLElement} progress */
  #inside(one, progress) {
    const act = (/** @type {string} */ what, question = "") =>
      h("button", { type: "button", class: what, onclick: () => this.#act(what, one, question) }, t(`tournament.${what}`));
    const { state } = one;
    const begun = state !== "draft" && state !== "waiting";
    const on = state === "running" || state === "paused";
    // It says who is ready, and grades nobody.
    const warmUp = one.name.endsWith("-warm-up");
    return [
      h("div", { class: "row apart" }, h("a", { href: to.tournament(one.name) }, h("b", null, one.title || one.name)), h("span", { class: `state ${state}` }, tOr(`state.${state}`, state))),
      h("span", { class: "quiet small" }, [formatTitle(one), (one.games ?? []).map(gameName).join(", ")].filter(Boolean).join(" · ")),
      progress,
      h(
        "div",
        { class: "row" },
        begun ? null : act("start"),
        state === "running" ? act("pause") : null,
        state === "paused" || one.closed ? act("resume") : null,
        on && !one.closed ? act("finish", t("tournament.finish.sure", { name: one.title || one.name, n: one.total === null ? "?" : one.total - one.played })) : null,
        warmUp && state !== "draft" ? h("a", { class: "button", href: `${to.tournament(one.name)}?view=readiness` }, t("view.readiness")) : null,
        one.hides ? act("reveal", t("tournament.reveal.sure")) : null,
        on ? h("button", { type: "button", class: "withdraw", onclick: () => this.#choose("withdraw", one) }, t("tournament.withdraw")) : null,
        begun && !one.closed ? h("button", { type: "button", class: "reinstate", onclick: () => this.#choose("reinstate", one) }, t("tournament.reinstate")) : null,
        begun && !warmUp ? h("button", { type: "button", class: "grades", onclick: () => marksDialog(one) }, t("grades")) : null,
        state === "running" ? null : act("delete", t("tournament.delete.sure", { name: one.title || one.name })),
      ),
    ];
  }

  /** @param {string} what @param {any} one @param {string} question */
  async #act(what, one, question) {
    if (question !== "" && !(await confirmed(question, t(`tournament.${what}`)))) return;
    const path = `/tournaments/${encodeURIComponent(one.name)}`;
    try {
      const state = await (what === "delete" ? call("DELETE", path) : post(`${path}/${what}`));
      const first = what === "start" && (state.state === "draft" || state.state === "waiting");
      this.#done(first ? "warm-up" : what, { name: one.title || one.name });
      if (what === "start") this.say.append((await this.#away(state)) ?? "");
    } catch (error) {
      fill(this.say, fault(error));
    }
    await this.load();
  }

  /** Asks for a player of those who can be withdrawn, or let back in. @param {"withdraw" | "reinstate"} what @param {any} one */
  async #choose(what, one) {
    const path = `/tournaments/${encodeURIComponent(one.name)}`;
    try {
      const { entrants, withdrawn } = await get(path);
      const names = entrants.filter((/** @type {any} */ each) => !each.reference && each.name in withdrawn === (what === "reinstate")).map((/** @type {any} */ each) => each.name);
      if (names.length === 0) {
        fill(this.say, h("p", { class: "say" }, t(`tournament.${what}.nobody`)));
        return;
      }
      const player = await chosen(t(`tournament.${what}.who`, { name: one.title || one.name }), t(`tournament.${what}`), names);
      if (player === "") return;
      await post(`${path}/${what}`, { player });
      this.#done(what, { name: one.title || one.name, player });
    } catch (error) {
      fill(this.say, fault(error));
    }
    await this.load();
  }

  /** @param {string} what @param {Record<string, string>} values */
  #done(what, values) {
    fill(this.say, h("p", { class: "say ok" }, t(`tournament.did.${what}`, values)));
  }

  /** Who is not connected, now that a tournament (or first its warm-up) has begun. @param {any} state */
  async #away(state) {
    const begun = state.state === "draft" || state.state === "waiting" ? await get(`/tournaments/${encodeURIComponent(`${state.name.slice(0, 32)}-warm-up`)}`) : state;
    const players = begun.entrants.filter((/** @type {any} */ one) => !one.reference);
    const away = players.filter((/** @type {any} */ one) => begun.missing.includes(one.name)).map((/** @type {any} */ one) => one.name);
    if (away.length === 0) return null;
    const { clock, absent } = begun.spec;
    return h("p", { class: "say" }, t(absent === "wait" ? "tournament.away.wait" : "tournament.away", { n: away.length, of: players.length, names: away.join(", "), s: clock.ready_ms / 1000 }));
  }

  #editor() {
    const format = h("select", { name: "format" });
    /** @type {Map<string, string>} an example of each format, by its name */
    const examples = new Map();
    const text = h("textarea", { name: "toml", rows: 18, spellcheck: "false", "aria-label": t("tournament.file") });
    const answer = h("div", { "aria-live": "polite" });
    const create = h("button", { type: "button", class: "main" }, t("tournament.create"));
    let touched = false;
    let asked = 0;
    const example = () => {
      ++asked;
      text.value = explained(examples.get(format.value) ?? "");
      touched = false;
      fill(answer);
    };
    const begin = async () => {
      try {
        const { formats } = await get("/formats");
        if (examples.size > 0) return;
        for (const one of formats) examples.set(one.format, one.example);
        fill(format, formats.map((/** @type {any} */ one) => h("option", { value: one.format }, formatTitle(one))));
        // What was written meanwhile stays.
        if (text.value === "") example();
      } catch (error) {
        fill(answer, fault(error));
      }
    };
    const check = async () => {
      const mine = ++asked;
      try {
        const { entrants, remarks } = await post("/tournaments/check", { toml: text.value });
        if (mine !== asked) return;
        const who = entrants.map((/** @type {{name: string}} */ one) => one.name).join(", ");
        fill(
          answer,
          h("div", { class: "say ok" }, t("tournament.fine"), h("div", { class: "small quiet" }, t("players.n", { n: entrants.length }), who === "" ? "" : `: ${who}`)),
          remarks.length > 0 ? h("div", { class: "say" }, h("ul", null, remarks.map((/** @type {any} */ one) => h("li", null, fileFault(one))))) : null,
        );
      } catch (error) {
        if (mine === asked) fill(answer, fault(error));
      }
    };
    let timer = 0;
    text.addEventListener("input", () => {
      touched = true;
      clearTimeout(timer);
      timer = setTimeout(check, 500);
    });
    format.addEventListener("change", async () => {
      if (!touched || (await confirmed(t("tournament.example.sure"), t("tournament.example")))) example();
    });
    create.addEventListener("click", async () => {
      clearTimeout(timer);
      ++asked;
      try {
        await post("/tournaments", { toml: text.value });
        fill(answer, h("p", { class: "say ok" }, t("tournament.created")));
        await this.load();
      } catch (error) {
        fill(answer, fault(error));
      }
    });
    const box = h(
      "details",
      { class: "new-tournament" },
      h("summary", null, t("tournament.new")),
      h("div", { class: "stack small-stack" }, h("label", null, t("tournament.format"), format), text, answer, h("div", { class: "row" }, h("button", { type: "button", onclick: check }, t("tournament.check")), create)),
    );
    box.addEventListener("toggle", () => {
      if (box.open && examples.size === 0) begin();
    });
    return box;
  }
}
