// @ts-check
// The teacher's remote of the big screen, for a phone: next, hold, this match, the ceremony.
import { get, post } from "../api.js";
import { gameName } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { lobby } from "../lobby_model.js";
import { session } from "../session.js";
import { h, View } from "../view.js";
/** @import { Order } from "../screen/news.js" */

/** @extends {View<{}, {order: Order | null, over: {name: string, title: string}[], fault: string}>} */
export default class RemotePage extends View {
  /** @type {{order: Order | null, over: {name: string, title: string}[], fault: string}} */
  state = { order: null, over: [], fault: "" };

  componentDidMount() {
    this.hear(session, "change", () => this.redraw());
    this.until(line.watch("screen", (order) => {
      this.setState({ order });
      this.#load();
    }));
    this.until(lobby.watch((event) => event.type !== "played" && this.redraw()));
  }

  async #load() {
    const { tournaments } = await get("/tournaments").catch(() => ({ tournaments: [] }));
    const over = tournaments.filter((/** @type {any} */ { state, name }) => state === "completed" && !name.endsWith("-warm-up")).reverse();
    this.setState({ over });
  }

  /** @param {"auto" | "next" | "hold" | "match" | "ceremony"} show @param {{match?: string, judged?: boolean, tournament?: string}} [which] */
  async #tell(show, which = {}) {
    await post("/screen", { show, ...which }).then(() => this.setState({ fault: "" })).catch(({ message }) => this.setState({ fault: message }));
  }

  /** What the screen does now. @param {Order} order */
  #now({ show, match, ceremony, title, is_whole }) {
    if (ceremony !== null) return `${t("remote.now.ceremony", { title })} ${is_whole ? t("remote.now.whole") : ""}`;
    const shown = lobby.matches.get(match ?? "");
    return show === "match" ? t("remote.now.match", { match: shown?.players.join(" – ") ?? match ?? "" }) : t(`remote.now.${show}`);
  }

  render() {
    const { order, over, fault } = this.state;
    if (!session.now.runs) return h("page-remote", { ref: this.root }, h("div", { class: "card" }, h("h1", null, t("remote.title")), h("p", null, t("remote.teacher")), h("a", { class: "button", href: "/teacher" }, t("sign.in"))));
    if (order === null) return h("page-remote", { ref: this.root }, h("h1", null, t("remote.title")), h("p", { class: "quiet" }, t("loading")));
    const key = (/** @type {"auto" | "next" | "hold"} */ show, /** @type {string} */ words, main = false) => h("button", { type: "button", class: main ? "main" : "", onClick: () => this.#tell(show) }, words);
    const honoured = order.ceremony !== null;
    const matches = [...lobby.matches.values()];
    return h(
      "page-remote",
      { ref: this.root },
      h("h1", null, t("remote.title")),
      h("p", { class: "now", role: "status" }, this.#now(order)),
      fault === "" ? null : h("p", { class: "say bad", role: "alert" }, fault),
      honoured
        ? h("div", { class: "keys" }, order.is_whole ? null : key("next", t("remote.uncover"), true), order.is_whole ? null : key("hold", t("remote.hold")), key("auto", t("remote.end")))
        : h("div", { class: "keys" }, key("next", t("remote.next"), true), order.show === "auto" ? key("hold", t("remote.hold")) : key("auto", t("remote.auto"))),
      order.show === "match" && !honoured ? h("div", { class: "keys" }, h("button", { type: "button", "aria-pressed": order.judged, onClick: () => this.#tell("match", { match: order.match ?? "", judged: !order.judged }) }, h("span", null, t("remote.judged")), h("span", { class: "quiet small" }, t("remote.judged.what")))) : null,
      honoured || over.length === 0 ? null : h("section", null, h("h2", null, t("remote.ceremony")), h("div", { class: "keys" }, over.slice(0, 3).map(({ name, title }) => h("button", { key: name, type: "button", onClick: () => this.#tell("ceremony", { tournament: name }) }, title)))),
      honoured
        ? null
        : h(
            "section",
            null,
            h("h2", null, t("remote.matches")),
            matches.length === 0 ? h("p", { class: "quiet" }, t("remote.matches.none")) : h("div", { class: "keys" }, matches.map(({ match, players, game }) => h("button", { key: match, type: "button", "aria-pressed": order.match === match, onClick: () => this.#tell("match", { match }) }, h("span", null, players.join(" – ")), h("span", { class: "quiet small" }, gameName(game))))),
          ),
    );
  }
}
