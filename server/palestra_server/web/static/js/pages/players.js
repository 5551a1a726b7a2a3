// @ts-check
// Everybody on the roster, and the guests who are here; those first who make most of their matches.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { gameName, percent, points } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { emptyCard } from "../parts/empty.js";
import { wdl, wdlHead } from "../parts/wdl.js";
import { h, scrolling, table, View } from "../view.js";
/** @import { Player } from "../types.js" */

const REFRESH_MS = { soon_ms: 600, apart_ms: 3000 };

/** @extends {View<{}, {players: Player[] | null, fault: string | null, wanted: string}>} */
export default class PlayersPage extends View {
  /** @type {{players: Player[] | null, fault: string | null, wanted: string}} */
  state = { players: null, fault: null, wanted: "" };

  componentDidMount() {
    const refresh = this.throttled(() => this.#load(), REFRESH_MS);
    this.until(lobby.watch(({ type }) => ["snapshot", "player_joined", "player_left"].includes(type) && refresh()));
    this.#load();
  }

  async #load() {
    const order = (/** @type {Player} */ a, /** @type {Player} */ b) => score(b) - score(a) || Number(b.online) - Number(a.online) || a.name.localeCompare(b.name);
    await get("/players").then(({ players }) => this.setState({ players: players.sort(order), fault: null }), ({ message }) => this.setState({ fault: message }));
  }

  render() {
    const { players, wanted } = this.state;
    const search = h("input", { type: "search", placeholder: t("players.search"), "aria-label": t("players.search"), hidden: players?.length === 0, onInput: (/** @type {Event} */ { currentTarget }) => this.setState({ wanted: /** @type {HTMLInputElement} */ (currentTarget).value }) });
    return h("page-players", { ref: this.root }, h("div", { class: "row apart" }, h("h1", null, t("nav.players")), search), h("div", { class: "card" }, this.#list(wanted.trim().toLowerCase())));
  }

  /** @param {string} wanted */
  #list(wanted) {
    const { players, fault } = this.state;
    if (fault !== null) return h("p", { class: "say bad" }, fault);
    if (players === null) return t("loading");
    if (players.length === 0) return emptyCard(t("players.none"), t("players.none.how"), ["/connect", t("nav.connect")]);
    const some = players.filter(({ name, group }) => `${name} ${group ?? ""}`.toLowerCase().includes(wanted));
    if (some.length === 0) return h("p", { class: "quiet" }, t("players.no.match"));
    return [scrolling(playerTable(some, players)), players.some(({ played }) => played) ? h("p", { class: "quiet small below" }, t("players.what")) : null];
  }
}

/** @param {Player} player */
const scored = ({ won = 0, drawn = 0 }) => won + drawn / 2;

/** The share of points, as if two more matches had shared theirs: a single win is not the best. @param {Player} player */
const score = (player) => (player.played ? (scored(player) + 1) / (player.played + 2) : -1);

/** @param {Player[]} players @param {Player[]} all among whom they have their place */
function playerTable(players, all) {
  const grouped = players.some(({ group }) => group);
  const readied = players.some(({ ready }) => Object.values(ready ?? {}).includes(true));
  const counted = players.some(({ played }) => typeof played === "number");
  const row = (/** @type {Player} */ player) => {
    const ready = Object.entries(player.ready ?? {}).filter(([, yes]) => yes).map(([game]) => gameName(game));
    return h(
      "tr",
      { key: player.name },
      counted ? h("td", { class: "num place-number" }, player.played ? all.indexOf(player) + 1 : "–") : null,
      h("td", { class: "player-cell" }, h("a", { href: to.player(player.name), title: player.name }, player.name), player.guest ? h("span", { class: "quiet small" }, ` ${t("guest")}`) : null, player.group ? h("span", { class: "quiet small narrow-only" }, ` ${player.group}`) : null),
      grouped ? h("td", { class: "wide-only" }, player.group ?? "") : null,
      counted ? h("td", { class: "wide-only made" }, player.played ? h("div", { class: "track", title: percent(scored(player), player.played) }, h("i", { style: { width: `${(100 * scored(player)) / player.played}%` } })) : null) : null,
      h("td", null, presence(player)),
      readied ? h("td", { class: "small wide-only ready-in" }, ready.join(", ")) : null,
      counted ? h("td", { class: "num" }, player.played ? [h("b", null, points(scored(player))), h("span", { class: "quiet small" }, ` / ${player.played}`)] : h("span", { class: "quiet" }, "–")) : null,
      counted ? h("td", { class: "num wide-only" }, player.played ? wdl([player.won ?? 0, player.drawn ?? 0, player.lost ?? 0]) : null) : null,
    );
  };
  const head = [counted ? h("th", { class: "num place-number" }, "#") : null, h("th", null, t("player")), grouped ? h("th", { class: "wide-only" }, t("group")) : null, counted ? h("th", { class: "wide-only made" }, t("players.share")) : null, h("th", null, t("now")), readied ? h("th", { class: "wide-only" }, t("ready.in")) : null, counted ? [h("th", { class: "num" }, t("points")), h("th", { class: "num wide-only" }, wdlHead())] : null];
  return table({ class: "players" }, head, players.map(row));
}

/** @param {{online: boolean, busy: boolean}} player */
export function presence({ online, busy }) {
  return h("span", { class: `presence ${online ? "on" : "off"}` }, h("span", null, online ? t(busy ? "presence.busy" : "presence.on") : t("presence.off")));
}
