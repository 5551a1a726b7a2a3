// @ts-check
// Scenes of the big screen that are tables: the field, pairings, standings, the bracket, a hidden round.
import { dotted, formatTitle, gameName, points, rankRange } from "../format.js";
import { remark, t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { Countdown } from "../parts/countdown.js";
import { isLevel, leveled, meetings, scored } from "../parts/schedule.js";
import { h, table } from "../view.js";
import { inReach, upset } from "./featured.js";
import { Frame } from "./frame.js";
/** @import { Fixture, Row, Tie, Tournament } from "../types.js" */
/** @import { News } from "./news.js" */

const STANDINGS = 8;
const REST = 39;
const FIELD = 45;
const PAIRINGS = 9;
const MANY = 18;

/** How many pages each table takes. @param {News} news */
export function pages({ rows, fixtures, cup }) {
  const [ranked, met] = [rows.filter(({ reference }) => !reference).length, meetings(fixtures).length];
  const field = (cup?.entrants ?? []).filter(({ reference }) => !reference).length;
  return {
    standings: 1 + Math.ceil(Math.max(0, ranked - STANDINGS) / REST),
    pairings: met <= PAIRINGS ? 1 : Math.ceil(met / MANY),
    field: Math.max(1, Math.ceil(field / FIELD)),
  };
}

/** @param {number | null} round @param {number | null} rounds */
export const roundOf = (round, rounds) => (!round ? "" : rounds ? t("round.of", { n: round, all: rounds }) : t("round.n", { n: round }));

/** "28 points". @param {number} value */
export const pointsOf = (value) => t("screen.points.n", { n: value === 1 ? 1 : points(value) });

/** How many letters the longest name has. @param {(string | null)[][]} pairs */
const longest = (pairs) => String(Math.max(1, ...pairs.flat().map((name) => name?.length ?? 0)));

/** @template T @param {T[]} all @param {number} size @param {number} page @returns {T[]} */
const slice = (all, size, page) => all.slice(page * size, (page + 1) * size);

/** When the cup goes on, in UTC ms; null if nobody said. @param {Tournament} cup */
function goesOn({ state, scheduled, why_paused }) {
  if (state === "waiting") return scheduled ?? null;
  if (state !== "paused" || why_paused?.code !== "break") return null;
  const [hours, minutes] = String(why_paused.values.end).split(":").map(Number);
  const end = new Date();
  end.setHours(hours, minutes, 0, 0);
  return end.getTime() < Date.now() ? end.getTime() + 86_400_000 : end.getTime();
}

/** Who is in, who is connected, and when it begins. @param {{news: News, page: number}} props */
export function Field({ news, page }) {
  const cup = /** @type {Tournament} */ (news.cup);
  const entrants = (cup.entrants ?? []).filter(({ reference }) => !reference);
  const here = entrants.filter(({ name }) => lobby.players.has(name));
  const begins = goesOn(cup);
  const aside = dotted([(cup.games ?? []).map(gameName).join(", "), formatTitle(cup)]);
  // Who is missing first: that is what somebody can still do something about.
  const shown = [...entrants.filter(({ name }) => !lobby.players.has(name)), ...here];
  // As many on each page, so that its letters are as large.
  const listed = slice(shown, Math.ceil(shown.length / Math.ceil(shown.length / FIELD)), page);
  const missing = entrants.length - here.length;
  const columns = listed.length <= 12 ? 1 : listed.length <= 26 ? 2 : 3;
  return h(
    Frame,
    { scene: "field", title: cup.title, aside, news: missing > 0 ? t("screen.missing", { n: missing }) : entrants.length > 0 ? t("screen.all.here") : "" },
    h(
      "div",
      { class: "beside" },
      h(
        "div",
        { class: "first" },
        begins === null || begins < Date.now() ? h("p", { class: "countdown words" }, t("screen.soon")) : h(Countdown, { to: begins }),
        begins !== null && begins < Date.now() ? null : h("p", { class: "lead" }, begins === null ? t("screen.soon.what") : t("screen.begins.at", { time: new Date(begins).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" }) })),
        h("p", { class: "quiet" }, t("screen.here", { n: here.length, all: entrants.length })),
      ),
      h(
        "ul",
        { class: "entrants", style: { "--columns": String(columns), "--rows": String(Math.max(6, Math.ceil(listed.length / columns))) } },
        listed.map(({ name }) => {
          const state = lobby.players.has(name) ? "here" : "away";
          return h("li", { key: `${state} ${name}`, class: state }, h("span", { class: "name" }, name));
        }),
      ),
    ),
  );
}

/** Who meets whom in this round. @param {{news: News, page: number, featured: string | null}} props */
export function Pairings({ news, page, featured }) {
  const cup = /** @type {Tournament} */ (news.cup);
  const every = meetings(news.fixtures);
  const many = every.length > PAIRINGS;
  // The places with which they come into the round.
  const place = new Map(news.rows.map(({ player, before }) => [player, before]));
  const shown = many ? slice(every, Math.ceil(every.length / Math.ceil(every.length / MANY)), page) : every;
  const goes = goesOn(cup);
  const field = (cup.entrants ?? []).filter(({ name, reference }) => !reference && !(name in (cup.withdrawn ?? {})));
  const connected = t("screen.here", { n: field.filter(({ name }) => lobby.players.has(name)).length, all: field.length });
  const line = (/** @type {Fixture[]} */ meeting) => {
    const { players } = meeting[0];
    const played = meeting.some(({ returns }) => returns !== null);
    const between = played ? players.map((name) => points(scored(meeting, name))).join("–") : t("screen.versus");
    return h(
      "li",
      { key: players.join(" "), class: `pair ${meeting.some(({ match }) => match !== null && match === featured) ? "featured" : ""}` },
      h("span", { class: "edge" }, place.get(players[0]) ?? ""),
      h("span", { class: "name one" }, players[0]),
      h("span", { class: "between" }, between),
      h("span", { class: "name two" }, players[1]),
      h("span", { class: "edge" }, place.get(players[1]) ?? ""),
    );
  };
  return h(
    Frame,
    { scene: `pairings ${many ? "many" : ""}`, title: cup.title, aside: roundOf(cup.round, cup.rounds), news: goes === null && cup.state === "paused" ? (cup.why_paused ? remark(cup.why_paused) : t("state.paused")) : many && goes === null ? connected : "" },
    h(
      "div",
      { class: "beside" },
      many && goes === null
        ? null
        : h(
            "div",
            { class: "first" },
            goes !== null ? h(Countdown, { to: goes }) : h("p", { class: "countdown" }, String(cup.round ?? "")),
            h("p", { class: "lead" }, t(goes !== null ? "screen.goes.on" : "screen.round")),
            h("p", { class: "quiet" }, connected),
          ),
      h("ol", { class: "pairs", style: { "--rows": String(Math.ceil(shown.length / 2)), "--chars": longest(shown.map(([{ players }]) => players)) } }, shown.map(line)),
    ),
  );
}

/** Places, what changed, and how sure they are. @param {{news: News, page: number}} props */
export function Standings({ news, page }) {
  const cup = /** @type {Tournament} */ (news.cup);
  const ranked = news.rows.filter(({ reference }) => !reference);
  const most = Math.max(1, ...ranked.map((row) => row.points));
  const last = news.results[0]?.round ?? 0;
  const over = cup.state === "completed";
  const whole = news.results.every(({ state }) => state === "ended");
  // Where everybody meets everybody, matches of later rounds are played, too.
  const now = Math.min(last, cup.round || last);
  const aside = over ? t(cup.revealed ? "screen.final" : "screen.before.hidden") : last === 0 ? "" : whole && now === last ? t("screen.after", { round: roundOf(last, cup.rounds) }) : roundOf(now, cup.rounds);
  const odd = upset(news.results, ranked);
  const told = odd === null ? t("screen.played", { n: cup.played, all: cup.total ?? "?" }) : [h("b", null, t("screen.upset")), " ", t("screen.upset.what", { winner: odd.winner, loser: odd.loser, game: gameName(odd.game) })];
  const moved = (/** @type {Row} */ { rank, before }) => {
    const by = (before ?? rank) - rank;
    return h("span", { class: `moved ${by > 0 ? "up" : by < 0 ? "down" : ""}` }, by === 0 ? "" : [h("i", { "aria-hidden": "true" }), h("span", { class: "only-read" }, t(by > 0 ? "screen.up" : "screen.down")), Math.abs(by)]);
  };
  const others = ranked.slice(STANDINGS);
  if (page > 0 && others.length > STANDINGS) {
    const rest = slice(others, Math.ceil(others.length / Math.ceil(others.length / REST)), page - 1);
    return h(
      Frame,
      { scene: "standings dense", title: cup.title, aside, news: told },
      h(
        "ol",
        { class: "ranks", style: { "--rows": String(Math.ceil(rest.length / 3)) } },
        rest.map((row) => h("li", { key: row.player }, h("span", { class: "rank" }, row.rank), h("span", { class: "name" }, row.player), h("span", { class: "points" }, points(row.points)), moved(row))),
      ),
    );
  }
  const first = page > 0 ? others : ranked.slice(0, STANDINGS);
  const sure = first.some(({ rank_low }) => rank_low !== null);
  return h(
    Frame,
    { scene: "standings", title: cup.title, aside, news: told },
    table(
      { style: { "--rows": String(first.length) } },
      [h("th", null, h("span", { class: "only-read" }, t("screen.rank"))), h("th", null), h("th", null), h("th", null), h("th", { class: "points" }, t("screen.points")), h("th", { class: "record" }, t("screen.wdl")), h("th", { class: "sure" }, sure ? t("screen.sure") : "")],
      first.map((row) =>
        h(
          "tr",
          { key: row.player, class: row.rank === 1 && row.points > 0 ? "leads" : "" },
          h("td", { class: "rank" }, row.rank),
          h("td", { class: "change" }, moved(row)),
          h("td", { class: "name" }, h("span", null, row.player)),
          h("td", { class: "share" }, h("i", { style: { "--share": String(row.points / most) } })),
          h("td", { class: "points" }, points(row.points)),
          h("td", { class: "record" }, `${row.wins} – ${row.draws} – ${row.losses}`),
          h("td", { class: "sure" }, row.rank_low === null ? "" : rankRange(row.rank_low, row.rank_high)),
        ),
      ),
    ),
  );
}

const DEPTH = 4;

/** A knock-out from both sides, the final in the middle: its last rounds. @param {{news: News}} props */
export function Bracket({ news }) {
  const cup = /** @type {Tournament} */ (news.cup);
  const rounds = news.bracket.slice(-DEPTH);
  const [final] = /** @type {Tie[]} */ (rounds.at(-1));
  const sides = rounds.slice(0, -1);
  const half = (/** @type {Tie[]} */ ties, /** @type {0 | 1} */ side) => ties.slice(side * (ties.length / 2), (side + 1) * (ties.length / 2));
  const column = (/** @type {Tie[]} */ ties, /** @type {0 | 1} */ side) => h("div", { class: `column ${side === 0 ? "left" : "right"}` }, half(ties, side).map((tie, at) => h("div", { key: at, class: "spot" }, h(Meeting, { tie }))));
  const champion = final.winner;
  const left = rounds.flat().filter(({ winner, players }) => winner === null && players.every((name) => name !== null));
  const next = champion === null ? left.map(({ players }) => players.join(` ${t("screen.versus")} `))[0] : undefined;
  const told = isLevel(final) ? leveled(final) : next !== undefined ? t("screen.to.come", { pair: next }) : "";
  return h(
    Frame,
    { scene: `bracket depth-${sides.length}`, title: cup.title, aside: stage(cup), news: told },
    h(
      "div",
      { class: "tree", style: { "--chars": longest(rounds.flat().map(({ players }) => players)) } },
      sides.map((ties) => column(ties, 0)),
      h("div", { class: "middle" }, h("p", { class: "label" }, champion === null ? t("final") : t("screen.champion")), champion === null ? null : h("p", { class: "champion name" }, champion), h(Meeting, { tie: final })),
      sides.toReversed().map((ties) => column(ties, 1)),
    ),
  );
}

/** How far a knock-out is, in words. @param {Tournament} cup */
export function stage({ round, rounds, state }) {
  if (state === "completed") return t("screen.final");
  const left = (rounds ?? 0) - (round ?? 0);
  return rounds && left >= 0 && left < 3 ? t(`screen.stage.${left}`) : roundOf(round, rounds);
}

/** @param {{tie: Tie}} props */
function Meeting({ tie: { players, winner, points: got } }) {
  const met = players.every((name) => name !== null);
  return h(
    "div",
    { class: "duel" },
    players.map((name, seat) =>
      h("p", { key: seat, class: name === null ? "nobody" : name === winner ? "through" : winner !== null ? "out" : "" }, h("span", { class: "name" }, name ?? (winner === null ? "–" : t("bye"))), h("span", { class: "num" }, met && got ? points(got[seat]) : "")),
    ),
  );
}

const REACH = 6;

/** While a round is hidden: what is at stake, and nothing of how it goes. @param {{news: News}} props */
export function Suspense({ news }) {
  const cup = /** @type {Tournament} */ (news.cup);
  const left = (/** @type {string} */ player) => news.fixtures.filter(({ players, state }) => state !== "ended" && players.includes(player)).length;
  const able = inReach(news.rows, left);
  const best = able[0]?.points ?? 0;
  const over = cup.state === "completed";
  return h(
    Frame,
    { scene: "hidden", title: cup.title, aside: over ? t("screen.all.played") : roundOf(cup.round, cup.rounds), news: t(over ? "screen.hidden.over" : "screen.hidden.on") },
    h(
      "div",
      { class: "beside" },
      h("div", { class: "first" }, h("p", { class: "countdown words" }, t("screen.hidden")), h("p", { class: "lead" }, able.length > 1 ? t("screen.reach.n", { n: able.length }) : t("screen.reach.one"))),
      h(
        "ol",
        { class: "pairs reach" },
        able.slice(0, REACH).map((row) => h("li", { key: row.player, class: `pair ${row.points === best ? "leads" : ""}` }, h("span", { class: "name" }, row.player), h("span", { class: "quiet" }, row.points === best ? t("screen.leads") : t("screen.behind", { points: points(best - row.points) })), h("b", { class: "points" }, points(row.points)))),
      ),
    ),
  );
}
