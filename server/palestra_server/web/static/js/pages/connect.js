// @ts-check
// Connect your bot: the token, the commands with this server's address, and whether the bot is here.
import { to } from "../addresses.js";
import { command, copyButton, fill, h } from "../dom.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { answerTime, gameName } from "../format.js";
import { line } from "../line.js";
import { matchRow } from "../parts/match_list.js";
import { about, session, signIn, signOut } from "../session.js";

class ConnectPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Set<string>} */
    this.online = new Set();
    /** @type {any} */
    this.server = null;
    this.token = "";
    this.stop = () => {};
    this.changed = () => {
      // The token belonged to the previous visitor.
      this.token = "";
      this.#showAll();
    };
  }

  async connectedCallback() {
    this.me = h("section", { class: "card" });
    this.state = h("section", { class: "card", "aria-live": "polite", hidden: true });
    this.commands = h("div", { class: "stack" });
    this.append(h("h1", null, t("connect.title")), h("p", { class: "quiet" }, t("connect.what")), h("div", { class: "split wide connect" }, this.commands, h("div", { class: "stack" }, this.me, this.state)));
    session.addEventListener("change", this.changed);
    this.stop = line.watch("lobby", (event) => this.#take(event));
    this.server = await about().catch(() => null);
    this.#showAll();
  }

  disconnectedCallback() {
    this.stop();
    session.removeEventListener("change", this.changed);
  }

  /** @param {any} event */
  #take(event) {
    const me = session.now.player;
    if (event.type === "snapshot") this.online = new Set(event.players.map((/** @type {any} */ player) => player.name));
    else if (event.type === "player_joined") this.online.add(event.player);
    else if (event.type === "player_left") this.online.delete(event.player);
    else if (event.type !== "match_end") return;
    if (me !== null) this.#showState();
  }

  #showAll() {
    if (!this.isConnected) return;
    this.#showMe();
    this.#showCommands();
    this.#showState();
  }

  #showMe() {
    const box = /** @type {Element} */ (this.me);
    const { role, player } = session.now;
    if (role === "player" && player !== null) {
      fill(
        box,
        h("h2", null, t("token.yours")),
        h("p", null, t("token.known", { name: player })),
        h("div", { class: "row" }, h("a", { class: "button", href: to.player(player) }, t("my.page")), h("button", { type: "button", onclick: () => signOut() }, t("sign.out"))),
      );
      return;
    }
    const field = h("input", { type: "password", name: "token", autocomplete: "off", required: true, maxlength: 256 });
    const fault = h("p", { class: "say bad", role: "alert", hidden: true });
    const form = h("form", { class: "fields" }, h("h2", null, t("token.door")), h("label", null, t("your.token"), field), h("button", { class: "main", type: "submit" }, t("token.check")), fault, h("p", { class: "quiet small" }, t("token.what")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const token = field.value.trim();
        await signIn({ token });
        this.token = token;
        this.#showCommands();
      } catch (error) {
        fault.hidden = false;
        fault.textContent = /** @type {Error} */ (error).message || t("fault.unreachable");
      }
    });
    fill(box, form);
  }

  #showCommands() {
    const secure = location.protocol === "https:";
    const port = this.server?.port ?? location.port;
    const address = secure ? `wss://${location.host}/play` : `ws://${location.hostname.includes(":") ? `[${location.hostname}]` : location.hostname}:${port}/play`;
    const token = this.token || t("token.placeholder");
    const guest = this.server?.guests && this.token === "" && session.now.role === "visitor";
    const who = guest ? `--name ${t("name.placeholder")}` : `--token ${token}`;
    const install = this.server?.install ?? "pip install palestra-client";
    fill(
      /** @type {Element} */ (this.commands),
      step(t("step.install"), install, t("step.install.what")),
      step(t("step.new"), "palestra new mybot", t("step.new.what")),
      step(t("step.join"), `palestra join mybot/mybot.py --server ${address} ${who}`, t("step.join.what")),
      step(t("step.course"), `palestra new mybot --language cpp\npalestra bridge --server ${address} ${who} -- ./mybot/mybot`, t("step.course.what")),
      h("section", { class: "step" }, h("h2", null, t("step.other")), h("p", null, t("step.other.what", { address })), copyable(JSON.stringify({ type: "hello", token: guest ? "" : token, ...(guest && { name: t("name.placeholder") }) })), h("p", null, h("a", { href: "/docs/" }, t("step.docs")))),
    );
  }

  async #showState() {
    const box = /** @type {HTMLElement} */ (this.state);
    const { player } = session.now;
    box.hidden = player === null;
    if (player === null) return;
    const here = this.online.has(player);
    const [info, recent] = await Promise.all([get(`/players/${encodeURIComponent(player)}`).catch(() => null), get(`/matches?player=${encodeURIComponent(player)}&limit=3`).catch(() => null)]);
    const ready = Object.entries(info?.ready ?? {});
    const median = info?.median_ms;
    fill(
      box,
      h("h2", null, t("bot.state")),
      h("p", { class: here ? "say ok" : "say" }, t(here ? "bot.here" : "bot.away", { name: player })),
      here && typeof median === "number" ? h("p", null, t("bot.answers", { time: answerTime(median) })) : null,
      ready.length > 0 ? h("ul", { class: "plainlist" }, ready.map(([game, yes]) => h("li", null, h("span", { class: `presence ${yes ? "on" : "off"}` }, `${gameName(game)}: ${t(yes ? "is.ready" : "not.ready")}`)))) : null,
      recent?.matches?.length ? h("ul", { class: "plainlist tight" }, recent.matches.map((/** @type {any} */ match) => matchRow(match, player))) : h("p", { class: "quiet small" }, t("bot.no.match")),
    );
  }
}

/** @param {string} title @param {string} command @param {string} what */
function step(title, command, what) {
  return h("section", { class: "step" }, h("h2", null, title), copyable(command), h("p", { class: "quiet small below" }, what));
}

/** @param {string} text */
function copyable(text) {
  return h("div", { class: "copyable" }, h("pre", { tabindex: 0 }, command(text)), copyButton(() => text, t("copy"), t("copied")));
}

customElements.define("page-connect", ConnectPage);
