// @ts-check
// The class: who is on the roster, who is connected and ready; import, tokens, kick, ban.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { confirmed, csv, rewritten, saveFile } from "../dialogs.js";
import { gameName } from "../format.js";
import { remark, t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { h, scrolling, View } from "../view.js";
import { ImportForm } from "./import.js";

/** @typedef {import("../types.js").Remark} Remark */
/** @typedef {{name: string, email: string, group: string, banned: boolean, has_token: boolean, ready: Record<string, boolean> | boolean}} Student */

// Only the lobby says who is here: an answer of the API may be older than the latest event.
const here = (/** @type {Student} */ { name }) => lobby.players.has(name);

/** @type {Record<string, (one: Student) => boolean>} */
const FILTERS = {
  all: () => true,
  away: (one) => !here(one),
  unready: (one) => readyGames(one).length === 0,
  tokenless: (one) => !one.has_token,
};

/** @typedef {{students: Student[] | null, filter: string, said: {text: string, bad: boolean, remarks: Remark[]} | null}} State */

/** @extends {View<{}, State>} */
export class ClassPanel extends View {
  /** @type {State} */
  state = { students: null, filter: "all", said: null };

  componentDidMount() {
    this.until(lobby.watch(({ type }) => ["snapshot", "player_joined", "player_left"].includes(type) && this.redraw()));
    this.#load();
  }

  async #load() {
    try {
      this.setState({ students: (await get("/roster")).players });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {string} text @param {Remark[]} [remarks] */
  #tell(text, remarks = []) {
    this.setState({ said: { text, bad: false, remarks } });
  }

  /** @param {unknown} error */
  #fail(error) {
    this.setState({ said: { text: /** @type {Error} */ (error).message || t("fault.unreachable"), bad: true, remarks: [] } });
  }

  /** @param {string} name @param {string} path */
  async #rename(name, path) {
    const wanted = await rewritten(t("rename.what", { name }), t("rename"), name);
    if (wanted === "") return;
    const renamed = await call("PATCH", path, { name: wanted });
    this.#tell(t("rename.done", { name, renamed: renamed.name }));
  }

  /** @param {string} path */
  async #newToken(path) {
    const { name, token } = await post(`${path}/token`);
    this.#tell(t("token.is", { name, token }));
  }

  /** @param {boolean} onlyMissing */
  async #tokens(onlyMissing) {
    if (!onlyMissing && !(await confirmed(t("tokens.all.sure"), t("tokens.all")))) return;
    /** @type {{tokens: {name: string, email?: string, token: string}[]}} */
    const { tokens } = await post("/roster/tokens", { only_missing: onlyMissing });
    if (tokens.length === 0) {
      this.#tell(t("tokens.none"));
      return;
    }
    saveFile("tokens.csv", csv([["name", "email", "token"], ...tokens.map((one) => [one.name, one.email ?? "", one.token])]), "text/csv");
    this.#tell(t("tokens.saved", { n: tokens.length }));
  }

  /** Does something, then shows the class as it is by then. @param {() => Promise<unknown>} what */
  async #do(what) {
    try {
      await what();
      await this.#load();
    } catch (error) {
      this.#fail(error);
    }
  }

  render() {
    const { students, filter, said } = this.state;
    const nobody = students?.length === 0;
    const chosen = (/** @type {Event} */ { currentTarget }) => this.setState({ filter: /** @type {HTMLSelectElement} */ (currentTarget).value });
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "class" },
      h("div", { class: "row apart" }, h("h2", null, t("class")), nobody ? null : h("select", { "aria-label": t("class.filter"), onChange: chosen }, Object.keys(FILTERS).map((which) => h("option", { value: which }, t(`class.filter.${which}`))))),
      nobody ? null : h("p", { class: "quiet" }, students && counted(students)),
      h("p", { class: `say ${said?.bad ? "bad" : "ok"}`, role: "status", hidden: said === null }, said?.text, said?.remarks.map((one) => h("span", { class: "small below" }, h("br", null), remark(one)))),
      nobody
        ? null
        : h(
            "div",
            { class: "row" },
            h("button", { type: "button", class: "tokens", onClick: () => this.#do(() => this.#tokens(true)) }, t("tokens.missing")),
            h("button", { type: "button", onClick: () => this.#do(() => this.#tokens(false)) }, t("tokens.all")),
          ),
      h(ImportForm, { onDone: () => this.#load() }),
      scrolling(nobody ? h("p", { class: "quiet" }, t("class.empty")) : students && this.#table(students.filter(FILTERS[filter]), students)),
    );
  }

  /** @param {Student[]} some @param {Student[]} all */
  #table(some, all) {
    const columns = /** @type {const} */ (["group", "email"]).filter((key) => all.some((one) => one[key]));
    const head = ["player", ...columns, "now", "ready.in", "token"].map((key) => h("th", null, t(key)));
    const row = (/** @type {Student} */ one) => {
      const ready = readyGames(one);
      return h(
        "tr",
        { key: one.name, class: one.banned ? "banned" : "" },
        h("td", { class: "player-cell" }, h("a", { href: to.player(one.name), title: one.name }, one.name), one.banned ? h("span", { class: "quiet small" }, ` ${t("banned")}`) : null),
        columns.map((key) => h("td", { class: key === "email" ? "small" : null }, one[key])),
        h("td", null, h("span", { class: `presence ${here(one) ? "on" : "off"}` }, t(here(one) ? "presence.on" : "presence.off"))),
        h("td", { class: ready.length > 0 ? "small" : "small nothing" }, ready.map(gameName).join(", ") || "–"),
        h("td", { class: one.has_token ? "small nothing" : "small" }, t(one.has_token ? "token.given" : "token.none")),
        h("td", null, h("div", { class: "row acts" }, this.#acts(one))),
      );
    };
    return h("table", { class: "class" }, h("thead", null, h("tr", null, head, h("th", null, h("span", { class: "only-read" }, t("actions"))))), h("tbody", null, some.map(row)));
  }

  /** @param {Student} one */
  #acts(one) {
    const path = `/roster/${encodeURIComponent(one.name)}`;
    const button = (/** @type {string} */ key, /** @type {() => Promise<unknown>} */ what) => h("button", { key, type: "button", class: "plain small", onClick: () => this.#do(what) }, t(key));
    const act = (/** @type {string} */ key, /** @type {() => Promise<{remarks?: Remark[]} | null>} */ what, question = "") =>
      button(key, async () => {
        if (question !== "" && !(await confirmed(question, t(key)))) return;
        const answer = await what();
        this.#tell(t(`${key}.done`, { name: one.name }), answer?.remarks);
      });
    return [
      here(one) ? act("kick", () => post(`${path}/kick`)) : null,
      button("token.new", async () => {
        if (await confirmed(t("token.new.sure", { name: one.name }), t("token.new"))) await this.#newToken(path);
      }),
      button("rename", () => this.#rename(one.name, path)),
      one.banned ? act("unban", () => call("PATCH", path, { banned: false })) : act("ban", () => call("PATCH", path, { banned: true }), t("ban.sure", { name: one.name })),
      act("remove", () => call("DELETE", path), t("remove.sure", { name: one.name })),
    ];
  }
}

/** @param {Student[]} students */
function counted(students) {
  return t("class.count", { n: students.length, online: students.filter(here).length, ready: students.filter((one) => readyGames(one).length > 0).length });
}

/** @param {Student} one */
function readyGames({ ready }) {
  return typeof ready === "object" && ready !== null ? Object.keys(ready).filter((game) => ready[game]) : [];
}
