// @ts-check
// The meetings of a round, and a knock-out as a drawn bracket.
import { to } from "../addresses.js";
import { dotted, gameName, grouped, points as asPoints, score, shares, sum } from "../format.js";
import { t, tOr } from "../i18n.js";
import { h } from "../view.js";
import { disc } from "./seat.js";
/** @import { Fixture, Tie } from "../types.js" */

/** @param {Fixture[]} fixtures of a round */
export const meetingList = (fixtures) => h("ul", { class: "plainlist tight" }, meetings(fixtures).map(meetingRow));

/** The fixtures of each two players, in the order of the first. @param {Fixture[]} fixtures @returns {Fixture[][]} */
export const meetings = (fixtures) => [...grouped(fixtures, ({ players }) => JSON.stringify([...players].sort())).values()];

/** Two players, how they stand, and a way to each of their matches. @param {Fixture[]} fixtures */
function meetingRow(fixtures) {
  const { players } = fixtures[0];
  const played = fixtures.some(({ returns }) => returns !== null);
  const on = fixtures.some(({ state }) => state === "playing");
  const games = [...new Set(fixtures.map(({ game }) => game))];
  const faults = new Set(fixtures.flatMap(({ reason, returns }) => (reason !== null && reason !== "rules" && returns ? [tOr(`reason.${reason}`, reason)] : [])));
  const waits = fixtures.every(({ state }) => state === "waiting");
  return h(
    "li",
    { key: players.join("\n"), class: `fixture ${on ? "playing" : waits ? "waiting" : ""}` },
    h("span", { class: "pairing" }, h("span", { class: "side-of" }, players[0]), h("b", { class: "score" }, played ? players.map((name) => asPoints(scored(fixtures, name))).join("–") : "–"), h("span", { class: "side-of" }, players[1])),
    h(
      "span",
      { class: "legs small" },
      waits
        ? h("span", { class: "quiet whole" }, dotted([...games.map(gameName), fixtures.length > games.length ? t("matches.n", { n: fixtures.length }) : null]))
        : games.map((game) => h("span", { class: "leg quiet" }, h("span", null, gameName(game)), h("span", { class: "chips" }, fixtures.filter((fixture) => fixture.game === game).map((fixture) => chip(fixture, players[0]))))),
      faults.size > 0 ? h("span", { class: "quiet whole" }, [...faults].join(" · ")) : null,
    ),
  );
}

/** What a player got of a point; null before the end. @param {Fixture} fixture @param {string} name */
const share = ({ players, returns, reason }, name) => (returns === null ? null : shares({ returns, reason })[players.indexOf(name)]);

/** What a player got of all of them. @param {Fixture[]} fixtures @param {string} name */
export const scored = (fixtures, name) => sum(fixtures.map((fixture) => share(fixture, name) ?? 0));

/** A match as one player's seat and what came of it. @param {Fixture} fixture @param {string} name */
function chip(fixture, name) {
  const { players, game, state, match } = fixture;
  const mine = share(fixture, name);
  const inside = [disc(/** @type {0 | 1} */ (players.indexOf(name))), mine !== null ? asPoints(mine) : state === "playing" ? "●" : "–"];
  const words = `${gameName(game)}: ${players[0]} ${score(fixture) || "–"} ${players[1]}${state === "playing" ? `, ${t("state.running")}` : ""}`;
  return match ? h("a", { class: `chip ${state}`, href: to.match(match), title: words, "aria-label": words }, inside) : h("span", { class: "chip", title: words }, inside);
}

/** The players of each group, best first. @param {string[][]} groups */
export function groupLists(groups) {
  const player = (/** @type {string} */ name) => h("li", { key: name }, h("a", { href: to.player(name) }, h("bdi", null, name)));
  return h("div", { class: "cards" }, groups.map((names, at) => h("section", null, h("h3", null, t("Group.n", { n: at + 1 })), h("ol", null, names.map(player)))));
}

/**
 * A knock-out tree, drawn from its meetings: `rounds` from the first to the final.
 * @param {{rounds: Tie[][]}} bracket
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

/** Whether the points did not decide it, but the seeds. @type {(tie: Tie) => tie is Tie & {winner: string}} */
export const isLevel = (tie) => tie.winner !== null && !tie.players.includes(null) && tie.points !== undefined && tie.points[0] === tie.points[1];

/** Who wins a level meeting, and why. @param {Tie & {winner: string}} tie */
export const leveled = ({ players, winner }) => t("bracket.level", { pair: players.join(" – "), winner });

/** Leads to its matches. @param {Tie} tie @param {string} tournament */
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
