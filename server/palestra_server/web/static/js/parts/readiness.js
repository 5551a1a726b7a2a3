// @ts-check
// The result of a warm-up: who is ready for which game, and what is wrong with the others' bots.
import { to } from "../addresses.js";
import { gameName, grouped } from "../format.js";
import { t } from "../i18n.js";
import { h, table } from "../view.js";

/** @typedef {{player: string, game: string, ready: boolean | null, played: number, faults: Record<string, number>}} Readiness */

const ORDER = [false, null, true];

/** How many are ready for every game, of all. @param {Readiness[]} readiness */
export function readyPlayers(readiness) {
  const all = new Set(readiness.map(({ player }) => player));
  const not = new Set(readiness.filter(({ ready }) => ready !== true).map(({ player }) => player));
  return { n: all.size - not.size, all: all.size };
}

/** Players who are not ready come first. @param {Readiness[]} readiness */
export function readinessTable(readiness) {
  const games = [...new Set(readiness.map(({ game }) => game))];
  const worst = (/** @type {Readiness[]} */ all) => Math.min(...all.map(({ ready }) => ORDER.indexOf(ready)));
  const players = [...grouped(readiness, ({ player }) => player)].sort(([a, ofA], [b, ofB]) => worst(ofA) - worst(ofB) || a.localeCompare(b));
  const row = (/** @type {string} */ player, /** @type {Readiness[]} */ all) =>
    h("tr", { key: player }, h("td", { class: "player-cell" }, h("a", { href: to.player(player), title: player }, player)), games.map((game) => h("td", { class: "small" }, mark(all.find((each) => each.game === game)))));
  return table({ class: "readiness" }, [h("th", null, t("player")), games.map((game) => h("th", null, gameName(game)))], players.map(([player, all]) => row(player, all)));
}

/** @param {Readiness | undefined} of */
function mark(of) {
  if (of === undefined) return null;
  if (of.ready === false) {
    const faults = Object.entries(of.faults).map(([reason, n]) => h("div", { class: "quiet" }, t(`ready.${reason}`, { count: n, all: of.played })));
    return h("div", null, h("b", { class: "outcome down" }, t("not.ready")), faults);
  }
  return of.ready ? h("b", { class: "outcome up" }, t("is.ready")) : h("span", { class: "quiet" }, t("ready.unknown"));
}
