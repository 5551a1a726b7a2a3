// @ts-check
// The big screen's programme, as a state machine: what is known and what the time is go in, and what is shown comes out.

/**
 * @typedef {"welcome" | "field" | "pairings" | "match" | "result" | "standings" | "bracket" | "hidden" | "ceremony"} Scene
 * @typedef {{code: string, values?: Record<string, string | number>}} Why a match is shown
 * @typedef {{match: string, worth: number, why: Why}} Choice
 * @typedef {{show: "auto" | "hold" | "match", match: string | null, going: number, ceremony: string | null}} Told by the teacher
 * @typedef {{name: string, state: string, round: number, rounds: number | null, hides: boolean, revealed: boolean}} Cup
 */

/**
 * `choices`: the matches that are played now, the most interesting first; `match`: the one that is shown, as far as it is
 * seen; `pages`: how many pages a table takes.
 * @typedef {{now: number, told: Told, cup: Cup | null, choices: Choice[], match: {match: string, ply: number, over: boolean} | null,
 *   has: {pairings: boolean, standings: boolean, bracket: boolean}, pages: Partial<Record<Scene, number>>}} Known
 */

/**
 * `since`: when this scene began; `ply`, `moved` and `played`: of the match, when it last moved, and was last among those
 * that are played; `round`: the latest round that
 * was announced; `queue`: what comes next, before the cycle goes on at `at`; `done`: the teacher's match that is over.
 * @typedef {{scene: Scene, since: number, match: string | null, why: Why | null, ply: number, moved: number, played: number, going: number,
 *   cup: string | null, round: number, queue: Scene[], at: number, done: string | null}} State
 */

const S = 1000;
/** How long a scene lasts; of a table of several pages, its first. */
export const LASTS = /** @type {Record<Scene, number>} */ ({ welcome: 0, field: 30 * S, pairings: 12 * S, match: 40 * S, result: 9 * S, standings: 12 * S, bracket: 14 * S, hidden: 20 * S, ceremony: 0 });
/** A further page of a table. */
export const PAGE_MS = 7 * S;
/** A match is left when nothing has moved for so long: between two moves, and not in the same moment as one. */
const BETWEEN_MS = 1 * S;
/** One that is not among those that are played is left after so long. */
export const GONE_MS = 3 * S;
/** So much later it is left anyhow. */
export const PATIENCE_MS = 10 * S;
/** A match that matters more takes the place of one that was shown for this long. */
const LEAST_MS = 15 * S;
/** Nothing replaces what is worth so much, as a final. */
const STAYS = 6;

/** @returns {State} */
export const begun = () => ({ scene: "welcome", since: 0, match: null, why: null, ply: -1, moved: 0, played: 0, going: -1, cup: null, round: 0, queue: [], at: -1, done: null });

/** What is shown now, after what was shown until now. @param {State} was @param {Known} known @returns {State} */
export function next(was, known) {
  const state = noted(was, known);
  const { told, cup } = known;
  if (told.ceremony !== null) return state.scene === "ceremony" ? state : enter(state, known, "ceremony");
  if (told.show === "match" && told.match !== null && told.match !== state.done) return pinned(state, known, told.match);
  const pushed = told.going !== was.going && was.going !== -1;
  const now = announced(state, cup, known);
  if (now.scene === "match" && known.match?.over && known.match.match === now.match) return enter(now, known, "result", now.match, now.why);
  if (told.show === "hold" && !pushed && was.going !== -1 && now.scene !== "ceremony") return now;
  if (pushed || !fits(now, known) || isOver(now, known)) return following(now, known);
  const best = known.choices[0];
  return now.scene === "match" && isOutdone(now, known) && known.now - now.moved >= BETWEEN_MS ? enter(now, known, "match", best.match, best.why) : now;
}

/** Whether it may still be shown. @param {State} state @param {Known} known */
function fits({ scene }, known) {
  if (scene === "ceremony") return false;
  // A match leaves the lobby a moment before its result comes; how long it is waited for, `isOver` says.
  if (scene === "match" || scene === "result") return true;
  if (scene === "field" && known.cup?.state === "running" && !known.has.pairings) return true;
  // Tables may have come out of turn.
  return cycle(known).includes(scene) || (known.cup !== null && Boolean(known.has[/** @type {"standings"} */ (scene)]));
}

/** Whether another match matters more than the one that has been shown for a while. @param {State} state @param {Known} known */
function isOutdone(state, known) {
  const mine = known.choices.find(({ match }) => match === state.match);
  return mine !== undefined && mine.worth < STAYS && known.choices[0].worth >= mine.worth + 1 && elapsed(state, known) >= LEAST_MS;
}

/** What was seen of the match, and what the teacher said. @param {State} was @param {Known} known @returns {State} */
function noted(was, { told, match, choices, now }) {
  const moves = match !== null && match.match === was.match && match.ply !== was.ply;
  const played = choices.some((choice) => choice.match === was.match);
  return { ...was, going: told.going, ...(moves && { ply: match.ply, moved: now }), ...(played && { played: now }), ...(told.show !== "match" && { done: null }) };
}

/** A tournament's new round puts its own scenes first. @param {State} state @param {Cup | null} cup @param {Known} known @returns {State} */
function announced(state, cup, { has }) {
  const name = cup?.name ?? null;
  const round = cup === null || cup.state === "draft" || cup.state === "waiting" ? 0 : cup.round;
  // Its pairings may come a moment later.
  if (name === state.cup && (round <= state.round || !(has.pairings || cup?.hides))) return state;
  const before = name === state.cup ? state.round : 0;
  /** @type {Scene[]} */
  const queue = round === 0 || cup?.hides ? [] : has.bracket ? ["bracket"] : before > 0 ? ["standings", "pairings"] : ["pairings"];
  return { ...state, cup: name, round, queue };
}

/** What goes on in turn while nothing happens. @param {Known} known @returns {Scene[]} */
function cycle({ cup, choices, has }) {
  /** @type {Scene[]} */
  const games = choices.length > 0 ? ["match"] : [];
  if (cup === null) return games.length > 0 ? games : ["welcome"];
  const [standings, bracket, pairings] = /** @type {Scene[][]} */ ([has.standings ? ["standings"] : [], has.bracket ? ["bracket"] : [], has.pairings ? ["pairings"] : []]);
  // A bracket says more of a knock-out than the places that it will give.
  const tables = bracket.length > 0 ? bracket : standings;
  const found = { draft: ["field", ...games], waiting: ["field", ...games], paused: [...games, ...pairings, ...tables], completed: [...standings, ...bracket, ...games] };
  if (cup.hides) return ["hidden", ...standings, ...games];
  const scenes = /** @type {Record<string, Scene[]>} */ (found)[cup.state] ?? [...games, ...games, ...(games.length > 0 ? [] : pairings), ...tables];
  return scenes.length > 0 ? scenes : ["field"];
}

/** @param {State} state @param {Known} known */
const elapsed = (state, { now }) => now - state.since;

/** Whether this scene has lasted. @param {State} state @param {Known} known */
function isOver(state, known) {
  const [shown, { scene }] = [elapsed(state, known), state];
  if (scene !== "match") return shown >= LASTS[scene] + PAGE_MS * ((known.pages[scene] ?? 1) - 1) && (cycle(known).length > 1 || cycle(known)[0] !== scene);
  const mine = known.choices.find(({ match }) => match === state.match);
  if (mine !== undefined && mine.worth >= STAYS) return false;
  // Nobody plays it any more, or it is over and its result about to come.
  if (mine === undefined) return known.now - state.played >= GONE_MS;
  if (shown < LASTS.match) return false;
  return known.now - state.moved >= BETWEEN_MS || shown >= LASTS.match + PATIENCE_MS;
}

/** The scene after this one. @param {State} state @param {Known} known @returns {State} */
function following(state, known) {
  const scenes = cycle(known);
  const queue = state.queue.filter((scene) => scene !== state.scene && known.has[/** @type {"standings"} */ (scene)]);
  const [first, ...rest] = queue;
  if (first !== undefined) return enter({ ...state, queue: rest }, known, first);
  const after = (state.at + 1) % scenes.length;
  // No table twice in a row: it may have come out of turn.
  const at = scenes[after] === state.scene && state.scene !== "match" ? (after + 1) % scenes.length : after;
  const scene = scenes[at];
  const free = { ...state, queue: [], at };
  if (scene !== "match") return scene === state.scene && scenes.length === 1 ? free : enter(free, known, scene);
  // Another one than before, unless it matters less by far.
  const [best] = known.choices.filter(({ match }) => match !== state.match);
  const mine = known.choices.find(({ match }) => match === state.match);
  const chosen = mine !== undefined && (best === undefined || mine.worth >= best.worth + 1) ? mine : best;
  if (chosen.match === state.match && state.scene === "match") return { ...free, since: known.now };
  return enter(free, known, "match", chosen.match, chosen.why);
}

/** The match that the teacher wants to be seen, to its end. @param {State} state @param {Known} known @param {string} match @returns {State} */
function pinned(state, known, match) {
  const why = { code: "teacher" };
  if (state.match !== match || (state.scene !== "match" && state.scene !== "result")) return enter(state, known, "match", match, why);
  if (state.scene === "match") return known.match?.over && known.match.match === match ? enter(state, known, "result", match, why) : state;
  return elapsed(state, known) < LASTS.result ? state : following({ ...state, done: match }, known);
}

/** @param {State} state @param {Known} known @param {Scene} scene @param {string | null} [match] @param {Why | null} [why] @returns {State} */
function enter(state, known, scene, match = state.match, why = null) {
  const fresh = match !== state.match;
  return { ...state, scene, since: known.now, match, why, ...(fresh && { ply: -1, moved: known.now, played: known.now }) };
}
