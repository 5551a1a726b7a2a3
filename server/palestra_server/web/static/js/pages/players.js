// @ts-check
// Everybody on the roster, and the guests who are here.
import { to } from "../addresses.js";
import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { gameName } from "../format.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { emptyCard } from "../parts/empty.js";
import { wdl, wdlHead } from "../parts/wdl.js";
import { Throttle } from "../throttle.js";

const REFRESH_MS = { soon_ms: 600, apart_ms: 3000 };

class PlayersPage extends HTMLElement {
  constructor() {
    super();
    /** @type {Throttle | null} */
    this.refresh = null;
    this.stop = () => {};
  }

  disconnectedCallback() {
    this.refresh?.stop();
    this.stop();
  }

  connectedCallback() {
    const search = h("input", { type: "search", placeholder: t("players.search"), "aria-label": t("players.search") });
    const box = h("div", { class: "card" }, t("loading"));
    this.append(h("div", { class: "row apart" }, h("h1", null, t("nav.players")), search), box);
    /** @type {any[]} */
    let players = [];
    const show = () => {
      const wanted = search.value.trim().toLowerCase();
      search.hidden = players.length === 0;
      const some = players.filter(({ name, group }) => `${name} ${group ?? ""}`.toLowerCase().includes(wanted));
      fill(box, players.length === 0 ? emptyCard(t("players.none"), t("players.none.how"), ["/connect", t("nav.connect")]) : some.length === 0 ? h("p", { class: "quiet" }, t("players.no.match")) : h("div", { class: "scroll", tabindex: 0 }, table(some)));
    };
    search.addEventListener("input", show);
    const load = async () => {
      try {
        ({ players } = await get("/players"));
        players.sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name));
        show();
      } catch (error) {
        fill(box, h("p", { class: "say bad" }, /** @type {Error} */ (error).message || t("fault.unreachable")));
      }
    };
    const refresh = (this.refresh = new Throttle(load, REFRESH_MS));
    this.stop = line.watch("lobby", (event) => {
      if (["snapshot", "player_joined", "player_left"].includes(event.type)) refresh.ask();
    });
    load();
  }
}

/** @param {any[]} players */
function table(players) {
  const grouped = players.some(({ group }) => group);
  const readied = players.some(({ ready }) => Object.values(ready ?? {}).includes(true));
  const counted = players.some(({ played }) => typeof played === "number");
  return h(
    "table",
    { class: "players" },
    h("thead", null, h("tr", null, h("th", null, t("player")), grouped ? h("th", { class: "wide-only" }, t("group")) : null, h("th", null, t("now")), readied ? h("th", { class: "wide-only" }, t("ready.in")) : null, counted ? h("th", { class: "num" }, wdlHead()) : null)),
    h(
      "tbody",
      null,
      players.map((player) => {
        const ready = Object.entries(player.ready ?? {}).filter(([, yes]) => yes).map(([game]) => gameName(game));
        return h(
          "tr",
          null,
          h("td", { class: "player-cell" }, h("a", { href: to.player(player.name) }, player.name), player.guest ? h("span", { class: "quiet small" }, ` ${t("guest")}`) : null, player.group ? h("span", { class: "quiet small narrow-only" }, ` ${player.group}`) : null),
          grouped ? h("td", { class: "wide-only" }, player.group ?? "") : null,
          h("td", null, presence(player)),
          readied ? h("td", { class: "small wide-only" }, ready.join(", ")) : null,
          counted ? h("td", { class: "num" }, player.played === 0 ? h("span", { class: "quiet" }, "–") : wdl([player.won ?? 0, player.drawn ?? 0, player.lost ?? 0])) : null,
        );
      }),
    ),
  );
}

/** @param {{online: boolean, busy: boolean}} player */
export function presence({ online, busy }) {
  return h("span", { class: `presence ${online ? "on" : "off"}` }, online ? t(busy ? "presence.busy" : "presence.on") : t("presence.off"));
}

customElements.define("page-players", PlayersPage);
