// @ts-check
// The class: who is on the roster, who is connected and ready; import, tokens, kick, ban.
import { to } from "../addresses.js";
import { call, get, post } from "../api.js";
import { confirmed, csv, rewritten, saveFile } from "../dialogs.js";
import { gameName } from "../format.js";
import { language, remark, t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { session } from "../session.js";
import { h, scrolling, select, table } from "../view.js";
import { ImportForm } from "./import.js";
import { attempt, Panel } from "./said.js";
/** @import { Remark } from "../types.js" */
/** @import { Children } from "../view.js" */

/** @typedef {{name: string, email: string, group: string, banned: boolean, has_token: boolean, ready: Record<string, boolean>}} Student */

// Only the lobby says who is here: an answer of the API may be older than the latest event.
const here = (/** @type {Student} */ { name }) => lobby.players.has(name);

/** @type {Record<string, (one: Student) => boolean>} */
const FILTERS = {
  all: () => true,
  away: (one) => !here(one),
  unready: (one) => readyGames(one).length === 0,
  tokenless: (one) => !one.has_token,
};

/** @typedef {{students: Student[] | null, filter: string, said: Children, cards: {said: Children, file: string} | null}} State `cards`: of the tokens just made, to print, as long as that is what is said */

/** @extends {Panel<State>} */
export class ClassPanel extends Panel {
  /** @type {State} */
  state = { students: null, filter: "all", said: null, cards: null };

  componentDidMount() {
    this.until(lobby.watch(({ type }) => ["snapshot", "player_joined", "player_left"].includes(type) && this.redraw()));
    super.componentDidMount();
  }

  load() {
    return attempt(this, async () => this.setState({ students: (await get("/roster")).players }));
  }

  /** @param {string} name @param {string} path */
  async #rename(name, path) {
    const wanted = await rewritten(t("rename.what", { name }), t("rename"), name);
    if (wanted === "") return null;
    const renamed = await call("PATCH", path, { name: wanted });
    return this.did(t("rename.done", { name, renamed: renamed.name }), () => call("PATCH", pathOf(renamed), { name }));
  }

  /** @param {boolean} onlyMissing */
  async #tokens(onlyMissing) {
    if (!onlyMissing && !(await confirmed(t("tokens.all.sure"), t("tokens.all")))) return null;
    /** @type {{tokens: {name: string, email?: string, token: string}[], cards: string}} */
    const { tokens, cards } = await post("/roster/tokens", { only_missing: onlyMissing, cards: language });
    if (tokens.length === 0) return this.did(t("tokens.none"));
    saveFile("tokens.csv", csv([["name", "email", "token"], ...tokens.map((one) => [one.name, one.email ?? "", one.token])]), "text/csv");
    const said = this.did(t("tokens.saved", { n: tokens.length }));
    this.setState({ cards: { said, file: cards } });
    return said;
  }

  render() {
    const { students, filter, said, cards } = this.state;
    const nobody = students?.length === 0;
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "class" },
      h("div", { class: "row apart" }, h("h2", null, t("class")), nobody ? null : select(filter, Object.keys(FILTERS).map((which) => [which, t(`class.filter.${which}`)]), (chosen) => this.setState({ filter: chosen }), { "aria-label": t("class.filter") })),
      nobody ? null : h("p", { class: "quiet" }, students && t("class.count", { n: students.length, online: students.filter(here).length, ready: students.filter((one) => readyGames(one).length > 0).length })),
      h("div", { role: "status" }, said),
      cards?.said === said && h("div", null, h("button", { type: "button", class: "main", onClick: () => saveFile("cards.html", cards?.file ?? "", "text/html") }, t("tokens.cards"))),
      nobody || !session.now.runs
        ? null
        : h(
            "div",
            { class: "row" },
            h("button", { type: "button", class: "tokens", onClick: () => this.act(() => this.#tokens(true)) }, t("tokens.missing")),
            h("button", { type: "button", onClick: () => this.act(() => this.#tokens(false)) }, t("tokens.all")),
          ),
      session.now.runs && h(ImportForm, { onDone: () => this.load() }),
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
        session.now.runs && h("td", null, h("div", { class: "row acts" }, this.#acts(one))),
      );
    };
    return table({ class: "class" }, [head, session.now.runs && h("th", null, h("span", { class: "only-read" }, t("actions")))], some.map(row));
  }

  /** @param {Student} one */
  #acts(one) {
    const path = pathOf(one);
    const button = (/** @type {string} */ key, /** @type {() => Promise<Children>} */ what) => h("button", { key, type: "button", class: "plain small", onClick: () => this.act(what) }, t(key));
    const act = (/** @type {string} */ key, /** @type {() => Promise<{remarks?: Remark[]} | null>} */ what, question = "", /** @type {(() => Promise<unknown>) | null} */ undo = null) =>
      button(key, async () => {
        if (question !== "" && !(await confirmed(question, t(key)))) return null;
        const remarks = (await what())?.remarks ?? [];
        return this.did([t(`${key}.done`, { name: one.name }), remarks.map((each) => h("span", { class: "small below" }, h("br", null), remark(each)))], undo);
      });
    const ban = (/** @type {boolean} */ banned) => () => call("PATCH", path, { banned });
    return [
      here(one) ? act("kick", () => post(`${path}/kick`)) : null,
      button("token.new", async () => {
        if (!(await confirmed(t("token.new.sure", { name: one.name }), t("token.new")))) return null;
        const { name, token } = await post(`${path}/token`);
        return this.did(t("token.is", { name, token }));
      }),
      button("rename", () => this.#rename(one.name, path)),
      one.banned ? act("unban", ban(false), "", ban(true)) : act("ban", ban(true), t("ban.sure", { name: one.name }), ban(false)),
      act("remove", () => call("DELETE", path), t("remove.sure", { name: one.name })),
    ];
  }
}

/** @param {{name: string}} one */
const pathOf = ({ name }) => `/roster/${encodeURIComponent(name)}`;

/** @param {Student} one */
const readyGames = ({ ready }) => Object.keys(ready).filter((game) => ready[game]);
