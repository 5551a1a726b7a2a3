// @ts-check
// Connect your bot: the token, the commands with this server's address, and whether the bot is here.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { answerTime, gameName } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { copyable } from "../parts/copy.js";
import { connection, installing } from "../parts/connecting.js";
import { matchRow } from "../parts/match_list.js";
import { SecretForm } from "../parts/secret_form.js";
import { about, session, signIn, signOut } from "../session.js";
import { h, View } from "../view.js";
/** @import { About, Summary } from "../types.js" */

/** @typedef {{ready?: Record<string, boolean>, median_ms?: number | null}} Facts */
/** @typedef {{server: About | null, token: string, facts: Facts | null, recent: Summary[]}} State */

/** @extends {View<{}, State>} */
export default class ConnectPage extends View {
  /** @type {State} */
  state = { server: null, token: "", facts: null, recent: [] };

  componentDidMount() {
    // The token belonged to the previous visitor.
    this.hear(session, "change", () => {
      this.setState({ token: "", facts: null, recent: [] });
      this.#loadMine();
    });
    this.until(lobby.watch(({ type }) => type !== "played" && type !== "match_start" && this.#loadMine()));
    about().then((server) => this.setState({ server }), () => {});
    this.#loadMine();
  }

  async #loadMine() {
    const { player } = session.now;
    if (player === null) return;
    const [facts, recent] = await Promise.all([get(`/players/${encodeURIComponent(player)}`).catch(() => null), get(`/matches?player=${encodeURIComponent(player)}&limit=3`).catch(() => null)]);
    if (player === session.now.player) this.setState({ facts, recent: recent?.matches ?? [] });
  }

  /** @param {string} token */
  async #signIn(token) {
    await signIn({ token });
    this.setState({ token });
  }

  render() {
    return h(
      "page-connect",
      { ref: this.root },
      h("h1", null, t("nav.connect")),
      h("p", { class: "quiet" }, t("connect.what")),
      h("div", { class: "split wide connect" }, h("div", { class: "stack" }, this.#commands()), h("div", { class: "stack" }, h("section", { class: "card" }, this.#me()), this.#mine())),
    );
  }

  #me() {
    const { role, player } = session.now;
    if (role !== "player" || player === null) {
      return h(SecretForm, { class: "fields", title: h("h2", null, t("token.door")), name: "token", label: t("your.token"), act: t("token.check"), onSecret: (/** @type {string} */ token) => this.#signIn(token) }, h("p", { class: "quiet small" }, t("token.what")));
    }
    return [
      h("h2", null, t("your.token")),
      h("p", null, t("token.known", { name: player })),
      h("div", { class: "row" }, h("a", { class: "button", href: to.player(player) }, t("my.page")), h("button", { type: "button", onClick: signOut }, t("sign.out"))),
    ];
  }

  #commands() {
    const { server, token } = this.state;
    const guest = server?.guests === true && token === "" && session.now.role === "visitor";
    const { address, who } = connection(server, token, guest);
    const hello = { type: "hello", token: guest ? "" : token || t("token.placeholder"), ...(guest && { name: t("name.placeholder") }) };
    return [
      step(t("step.install"), installing(server), t("step.install.what")),
      step(t("step.new"), "palestra new mybot", t("step.new.what")),
      step(t("step.join"), `palestra join mybot/mybot.py --server ${address} ${who}`, t("step.join.what")),
      step(t("step.course"), `palestra new mybot --language cpp\npalestra bridge --server ${address} ${who} -- ./mybot/mybot`, t("step.course.what")),
      h("section", { class: "step" }, h("h2", null, t("step.other")), h("p", null, t("step.other.what", { address })), copyable(JSON.stringify(hello)), h("p", null, h("a", { href: "/docs/" }, t("step.docs")))),
    ];
  }

  /** Whether the bot of who is signed in is here, and what became of it lately. */
  #mine() {
    const { player } = session.now;
    if (player === null) return null;
    const { facts, recent } = this.state;
    const here = lobby.players.has(player);
    const ready = Object.entries(facts?.ready ?? {});
    return h(
      "section",
      { class: "card", "aria-live": "polite" },
      h("h2", null, t("bot.state")),
      h("p", { class: here ? "say ok" : "say" }, t(here ? "bot.here" : "bot.away", { name: player })),
      here && typeof facts?.median_ms === "number" ? h("p", null, t("bot.answers", { time: answerTime(facts.median_ms) })) : null,
      ready.length > 0 ? h("ul", { class: "plainlist" }, ready.map(([game, yes]) => h("li", null, h("span", { class: `presence ${yes ? "on" : "off"}` }, `${gameName(game)}: ${t(yes ? "is.ready" : "not.ready")}`)))) : null,
      recent.length > 0 ? h("ul", { class: "plainlist tight" }, recent.map((match) => matchRow(match, player))) : h("p", { class: "quiet small" }, t("bot.no.match")),
    );
  }
}

/** @param {string} title @param {string} command @param {string} what */
const step = (title, command, what) => h("section", { class: "step" }, h("h2", null, title), copyable(command), h("p", { class: "quiet small below" }, what));
