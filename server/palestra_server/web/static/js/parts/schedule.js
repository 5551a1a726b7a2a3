// @ts-check
// The schedule by rounds, and a knock-out as a drawn bracket.
import { to } from "../addresses.js";
import { h } from "../dom.js";
import { gameName, points as asPoints, score } from "../format.js";
import { t, tOr } from "../i18n.js";
import { disc } from "./seat.js";

/**
 * @typedef {{id: string, round: number, pair: string, leg: number, game: string, players: [string, string], state: string,
 *   match: string | null, returns: [number, number] | null, reason: string | null}} Fixture
 */

/** @param {Fixture[]} fixtures @param {boolean} [few] so few that all are shown */
export function rounds(fixtures, few = false) {
  const byRound = new Map();
  for (const fixture of fixtures) {
    if (!byRound.has(fixture.round)) byRound.set(fixture.round, []);
    byRound.get(fixture.round).push(fixture);
  }
  const numbers = [...byRound.keys()].sort((a, b) => a - b);
  const playing = fixtures.filter(({ state }) => state === "playing").map(({ round }) => round);
  const begun = fixtures.filter(({ state }) => state !== "waiting").map(({ round }) => round);
  const current = playing.length > 0 ? Math.min(...playing) : Math.max(...begun, 1);
  return numbers.map((round) =>
    h(
      "details",
      { open: few || round === current, class: "round" },
      h("summary", null, t("Round.n", { n: round }), " ", h("span", { class: "quiet small" }, t("matches.n", { n: byRound.get(round).length }))),
      h("ul", { class: "plainlist tight" }, byRound.get(round).map(fixtureRow)),
    ),
  );
}

/** @param {Fixture} fixture */
function fixtureRow({ players, game, state, match, returns, reason }) {
  const side = (/** @type {0 | 1} */ seat) => h("span", { class: "side-of" }, disc(seat), " ", players[seat]);
  const names = [side(0), h("b", { class: "score" }, returns ? score(returns) : "–"), side(1)];
  const fault = reason !== null && reason !== "rules" && returns ? tOr(`reason.${reason}`, reason) : "";
  const about = [gameName(game), state === "playing" ? t("state.playing") : fault].filter(Boolean).join(" · ");
  const inside = h("span", { class: "pairing" }, names);
  return h("li", { class: `fixture ${state}` }, match ? h("a", { href: to.match(match) }, inside) : inside, h("span", { class: "quiet small" }, about));
}

/**
 * A knock-out tree, drawn from its meetings: `rounds` from the first to the final.
 * @param {{rounds: {players: (string | null)[], winner: string | null, points?: [number, number]}[][]}} bracket
 * @param {string} tournament its name
 */
export function bracketTree(bracket, tournament) {
  return h(
    "div",
    { class: "bracket", role: "list", "aria-label": t("bracket") },
    bracket.rounds.map((meetings, at) =>
      h(
        "div",
        { class: "bracket-round", role: "listitem" },
        h("h3", { class: "quiet small" }, at === bracket.rounds.length - 1 ? t("final") : t("Round.n", { n: at + 1 })),
        h("div", { class: "meetings" }, meetings.map((tie) => h("div", { class: meetings.length === 2 * (bracket.rounds[at + 1]?.length ?? 0) ? "tie joined" : "tie" }, meeting(tie, tournament)))),
      ),
    ),
  );
}

/** Leads to its matches. @param {{players: (string | null)[], winner: string | null, points?: [number, number]}} tie @param {string} tournament */
function meeting({ players, winner, points }, tournament) {
  // A place without a player beside a winner was free from the start.
  const nobody = t(winner === null ? "tba" : "bye");
  const met = players.every((name) => name !== null);
  const side = (/** @type {string | null} */ name, /** @type {number} */ seat) =>
    h(
      "div",
      { class: name !== null && name === winner ? "through" : null },
      h("span", null, name ?? nobody),
      h("span", { class: "num" }, met && points ? asPoints(points[seat]) : ""),
    );
  const [first, second] = players;
  if (first === null || second === null) return h("div", { class: "meeting" }, players.map(side));
  return h("a", { class: "meeting", href: to.matchesOf(tournament, first, second) }, players.map(side));
}
