// @ts-check
// The class: who is on the roster, who is connected and ready; import, tokens, kick, ban.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { confirmed, csv, rewritten, saveFile } from "../dialogs.js";
import { fill, h, refill } from "../dom.js";
import { gameName } from "../format.js";
import { remark, t } from "../i18n.js";
import { line } from "../line.js";
import { importForm } from "./import.js";

/** @typedef {{name: string, email: string, group: string, banned: boolean, online: boolean, has_token: boolean, ready: Record<string, boolean> | boolean}} Student */

export class ClassPanel {
  constructor() {
    this.count = h("p", { class: "quiet" });
    this.say = h("p", { class: "say", role: "status", hidden: true });
    this.table = h("div", { class: "scroll", tabindex: 0 });
    this.head = h("tr");
    this.rows = h("tbody");
    this.whole = h("table", { class: "class" }, h("thead", null, this.head), this.rows);
    /** @type {Map<string, {key: string, element: HTMLElement}>} */
    this.made = new Map();
    this.filter = h("select", { "aria-label": t("class.filter") }, ["all", "away", "unready", "tokenless"].map((which) => h("option", { value: which }, t(`class.filter.${which}`))));
    this.filter.addEventListener("change", () => this.#show());
    /** @type {Student[]} */
    this.students = [];
    /** @type {("group" | "email")[]} what at least one student has */
    this.columns = [];
    this.element = h(
      "section",
      { class: "card stack", id: "class" },
      h("div", { class: "row apart" }, h("h3", null, t("class")), this.filter),
      this.count,
      this.say,
      this.tokenTools = h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "tokens", onclick: () => this.#tokens(true) }, t("tokens.missing")),
        h("button", { type: "button", onclick: () => this.#tokens(false) }, t("tokens.all")),
      ),
      importForm(() => this.load()),
      this.table,
    );
    // Only the lobby says who is here: an answer of the API may be older than the latest event.
    /** @type {Set<string>} */
    this.here = new Set();
    this.stop = line.watch("lobby", (event) => {
      if (event.type === "snapshot") this.here = new Set(event.players.map((/** @type {any} */ player) => player.name));
      else if (event.type === "player_joined") this.here.add(event.player);
      else if (event.type === "player_left") this.here.delete(event.player);
      else return;
      this.#show();
    });
    this.load();
  }

  close() {
    this.stop();
  }

  async load() {
    try {
      this.students = (await get("/roster")).players;
      this.#show();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** @param {unknown} what an error, or a sentence */
  #tell(what, remarks = /** @type {any[]} */ ([])) {
    const bad = what instanceof Error;
    this.say.hidden = false;
    this.say.className = bad ? "say bad" : "say ok";
    const said = bad ? what.message || t("fault.unreachable") : String(what);
    fill(this.say, said, remarks.map((one) => h("span", { class: "small below" }, h("br"), remark(one))));
  }

  #show() {
    const tests = {
      all: () => true,
      away: (/** @type {Student} */ one) => !this.here.has(one.name),
      unready: (/** @type {Student} */ one) => readyGames(one).length === 0,
      tokenless: (/** @type {Student} */ one) => !one.has_token,
    };
    const some = this.students.filter(tests[/** @type {keyof typeof tests} */ (this.filter.value)]);
    const count = (/** @type {(one: Student) => boolean} */ test) => this.students.filter(test).length;
    this.count.textContent = t("class.count", { n: this.students.length, online: count((one) => this.here.has(one.name)), ready: count((one) => readyGames(one).length > 0) });
    const nobody = this.students.length === 0;
    for (const tool of [this.filter, this.tokenTools, this.count]) tool.hidden = nobody;
    if (nobody) {
      fill(this.table, h("p", { class: "quiet" }, t("class.empty")));
      return;
    }
    this.columns = /** @type {const} */ (["group", "email"]).filter((key) => this.students.some((one) => one[key]));
    const head = ["player", ...this.columns, "now", "ready.in", "token"].map((key) => h("th", null, t(key)));
    fill(this.head, head, h("th", null, h("span", { class: "only-read" }, t("actions"))));
    refill(this.rows, some.map((one) => this.#row(one)));
    refill(this.table, [this.whole]);
  }

  /** The row of a student, with new cells if what it shows has changed. @param {Student} one */
  #row(one) {
    const key = JSON.stringify([one, this.here.has(one.name), this.columns]);
    const made = this.made.get(one.name) ?? { key: "", element: h("tr") };
    this.made.set(one.name, made);
    if (made.key !== key) fill(made.element, this.#cells(one));
    made.key = key;
    made.element.classList.toggle("banned", one.banned);
    return made.element;
  }

  /** @param {Student} one */
  #cells(one) {
    const path = `/roster/${encodeURIComponent(one.name)}`;
    const here = this.here.has(one.name);
    const act = (/** @type {string} */ key, /** @type {() => Promise<unknown>} */ what, question = "") =>
      h("button", {
        type: "button", class: "plain small",
        onclick: async () => {
          if (question !== "" && !(await confirmed(question, t(key)))) return;
          try {
            const answer = /** @type {any} */ (await what());
            if (key !== "token.new") this.#tell(t(`${key}.done`, { name: one.name }), answer?.remarks);
            await this.load();
          } catch (error) {
            this.#tell(error);
          }
        },
      }, t(key));
    return [
      h("td", { class: "player-cell" }, h("a", { href: to.player(one.name) }, one.name), one.banned ? h("span", { class: "quiet small" }, ` ${t("banned")}`) : null),
      ...this.columns.map((key) => h("td", { class: key === "email" ? "small" : null }, one[key])),
      h("td", null, h("span", { class: `presence ${here ? "on" : "off"}` }, t(here ? "presence.on" : "presence.off"))),
      h("td", { class: readyGames(one).length > 0 ? "small" : "small nothing" }, readyGames(one).map(gameName).join(", ") || "–"),
      h("td", { class: one.has_token ? "small nothing" : "small" }, t(one.has_token ? "token.given" : "token.none")),
      h(
        "td",
        null,
        h(
          "div",
          { class: "row acts" },
          here ? act("kick", () => post(`${path}/kick`)) : null,
          act("token.new", () => this.#newToken(path), t("token.new.sure", { name: one.name })),
          h("button", { type: "button", class: "plain small", onclick: () => this.#rename(one.name, path) }, t("rename")),
          one.banned ? act("unban", () => call("PATCH", path, { banned: false })) : act("ban", () => call("PATCH", path, { banned: true }), t("ban.sure", { name: one.name })),
          act("remove", () => call("DELETE", path), t("remove.sure", { name: one.name })),
        ),
      ),
    ];
  }

  /** @param {string} name @param {string} path */
  async #rename(name, path) {
    const wanted = await rewritten(t("rename.what", { name }), t("rename"), name);
    if (wanted === "") return;
    try {
      const renamed = await call("PATCH", path, { name: wanted });
      this.#tell(t("rename.done", { name, renamed: renamed.name }));
      await this.load();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** @param {string} path */
  async #newToken(path) {
    const { name, token } = await post(`${path}/token`);
    this.#tell(t("token.is", { name, token }));
  }

  /** @param {boolean} onlyMissing */
  async #tokens(onlyMissing) {
    if (!onlyMissing && !(await confirmed(t("tokens.all.sure"), t("tokens.all")))) return;
    try {
      const { tokens } = await post("/roster/tokens", { only_missing: onlyMissing });
      if (tokens.length === 0) {
        this.#tell(t("tokens.none"));
        return;
      }
      const rows = tokens.map((/** @type {any} */ one) => [one.name, one.email ?? "", one.token]);
      saveFile("tokens.csv", csv([["name", "email", "token"], ...rows]), "text/csv");
      this.#tell(t("tokens.saved", { n: tokens.length }));
      await this.load();
    } catch (error) {
      this.#tell(error);
    }
  }
}

/** @param {Student} one */
function readyGames({ ready }) {
  return typeof ready === "object" && ready !== null ? Object.keys(ready).filter((game) => ready[game]) : [];
}
