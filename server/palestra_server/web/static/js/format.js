// @ts-check
// Numbers and times as people read them.
import { language, t, tOr } from "./i18n.js";
import { h } from "./view.js";
/** @import { Info, Ruling, Seat, Why } from "./types.js" */

/** @param {number} ms */
export const seconds = (ms, digits = 2) => number(ms / 1000, digits);

/** "0.5 s", "10 min", "2.4 h": how long something may take, no more figures than it has. @param {number} ms */
export function budget(ms) {
  const [unit, one, digits] = /** @type {[string, number, number]} */ (ms < 120_000 ? ["s", 1000, 3] : ms < 7_200_000 ? ["min", 60_000, 0] : ["h", 3_600_000, 1]);
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(ms / one)} ${unit}`;
}

/** "3.0 ms", "320 ms", "2.1 s": how long a bot took to answer. @param {number} ms */
export const answerTime = (ms) => (ms < 999.5 ? `${number(ms, ms < 10 ? 1 : 0)} ms` : `${seconds(ms, 1)} s`);

/** "3.1 M" @param {number} value */
export const compact = (value) => new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);

/** @param {number} value */
export const number = (value, digits = 0) => new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value);

/** "38 %" @param {number} part @param {number} [whole] */
export const percent = (part, whole = 1) => `${number((100 * part) / whole)} %`;

/** "+38" @param {number} value */
export function signed(value) {
  const digits = Number.isInteger(value) ? 0 : 2;
  return new Intl.NumberFormat(language, { signDisplay: "exceptZero", maximumFractionDigits: digits }).format(value).replace("-", "−");
}

// What no evaluation of a position in play comes near.
const DECIDED = 1e6;

/**
 * What a bot said of its position: "win in 4", "lost", "+38". How many moves it is to the end is known where its line has
 * the length of its search.
 * @param {Info} info
 */
export function worth({ value = 0, depth, pv = [] }) {
  if (Math.abs(value) < DECIDED) return signed(value);
  const key = value > 0 ? "value.win" : "value.loss";
  return depth !== undefined && pv.length === depth ? t(`${key}.in`, { n: Math.ceil(depth / 2) }) : t(key);
}

/** Points such as 4½. @param {number} value */
export function points(value) {
  const whole = Math.floor(value);
  if (value - whole === 0.5) return whole === 0 ? "½" : `${whole}½`;
  return number(value, Number.isInteger(value) ? 0 : 2);
}

/** "3–6": a rank is one number only when it is known. @param {number | null | undefined} low @param {number | null | undefined} high */
export function rankRange(low, high) {
  if (low === null || low === undefined || high === null || high === undefined) return "–";
  return low === high ? String(low) : `${low}–${high}`;
}

/** "11:42", with the day when it is another one. @param {string | number | null | undefined} value */
export const clockTime = (value) => told(value, { dateStyle: "medium", timeStyle: "short" });

/** The day of it, today its time. @param {string | number | null | undefined} value */
export const day = (value) => told(value, { dateStyle: "medium" });

/** @param {string | number | null | undefined} value as the API has it: ISO text, or ms since 1970 @param {Intl.DateTimeFormatOptions} other how a day is told that is not today */
function told(value, other) {
  const date = new Date(value ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(language, today ? { timeStyle: "short" } : other);
}

/** "Connect 4 · 12 moves": what there is of these. @param {(string | null | undefined)[]} parts */
export const dotted = (parts) => parts.filter(Boolean).join(" · ");

/** @param {number[]} numbers */
export const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

/** In groups of one key, in the order of their first. @template T @param {T[]} all @param {(one: T) => string} keyOf @returns {Map<string, T[]>} */
export function grouped(all, keyOf) {
  const groups = new Map();
  for (const one of all) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}

/** The game's name as people call it. @param {string} game */
export const gameName = (game) => tOr(`game.${game}`, game);

/** The tournament's format as people call it. @param {{format: string, format_title: string}} tournament */
export const formatTitle = ({ format, format_title }) => tOr(`format.${format}`, format_title);

/** The tournament of a match as people call it; null for a match of none. @param {{tournament?: string | null, tournament_title?: string | null}} match */
export const tournamentName = ({ tournament, tournament_title }) => tournament_title ?? tournament ?? null;

/** "Ana 1–0 Ben": each name stays on its side, whichever way it is written. @param {string[]} players @param {import("./view.js").Children} between */
export const versus = ([first, second], between) => [h("bdi", null, first), " ", between, " ", h("bdi", null, second)];

const UNPLAYED = ["void", "struck", "not_ready", "walkover"];

/**
 * What each seat got, as it counts: half a point for a draw, and none for a match that neither came to or that was cancelled.
 * @param {{returns: [number, number], reason?: string | null}} match @returns {[number, number]}
 */
export function shares({ returns: [first, second], reason }) {
  if (first === second) return UNPLAYED.includes(reason ?? "") ? [0, 0] : [0.5, 0.5];
  return first > second ? [1, 0] : [0, 1];
}

/** How it ended for a seat, in a word: won, lost, drawn, or why it counts for neither. @param {{returns: [number, number], reason?: string | null}} match @param {Seat} seat */
export function outcome(match, seat) {
  const mine = match.returns[seat];
  if (mine !== 0) return t(mine > 0 ? "won" : "lost");
  return shares(match)[seat] === 0 ? tOr(`reason.${match.reason}`, t("drawn")) : t("drawn");
}

/** "1–0", "½–½", with the points of `first` first; "" before the end. @param {{returns: [number, number] | null, reason?: string | null}} match @param {Seat} [first] */
export function score({ returns, reason }, first = 0) {
  if (returns === null) return "";
  const words = shares({ returns, reason }).map(points);
  return (first === 0 ? words : words.reverse()).join("–");
}

/** The score as it counts, after that of the board if the teacher ruled otherwise. @param {{returns: [number, number] | null, reason?: string | null, ruling?: Ruling | null}} match */
export function counted(match) {
  const [played, counts] = [match, match.ruling ?? match].map((one) => score(one));
  return played === counts ? played : [h("s", null, played), ` ${counts}`];
}

/** @param {Ruling} ruling */
export const verdictOf = ({ verdict, winner }) => t(`ruling.${verdict}`, { winner });

/** "Ruled by the teacher: counts as a draw". @param {{ruling?: Ruling | null}} match */
export const ruled = ({ ruling }) => (ruling ? `${t("reason.ruled")}: ${verdictOf(ruling)}` : "");

/** How long something is on: "2:05", "1:02:05". @param {number} ms */
export function duration(ms) {
  const whole = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** The rule that decides a game, in one sentence; "" for a game that this page does not know. @param {string} game */
export const rule = (game) => tOr(`rule.${game}`, "");

/**
 * @typedef {{players: [string, string], game: string, returns: [number, number], reason: string,
 *   why?: Why | null}} Ended
 */

/** How a match ended, in one sentence: exactly where the server says why in parts, else by the reason. @param {Ended} match */
export function ending({ players, game, returns, reason, why }) {
  const [first, second] = returns;
  const [winner, loser] = first > second ? players : [players[1], players[0]];
  const parted = why && [`why.${why.code}.${why.ply === 0 ? "first" : game}`, `why.${why.code}`].find((key) => tOr(key, "") !== "");
  if (why && parted) {
    const late = why.code === "late" ? { late_ms: Number(why.took_ms) - Number(why.move_ms) - Number(why.grace_ms) } : {};
    const parts = Object.entries({ ...why, ...late }).map(([name, value]) => [name, !name.endsWith("_ms") ? value : Number(value) < 60_000 ? `${seconds(Number(value), 3)} s` : `${duration(Number(value))} min`]);
    return t(parted, { winner, loser, ...Object.fromEntries(parts) });
  }
  if (first === second) return tOr(`ending.draw.${reason}`, t("ending.draw"));
  return tOr(`ending.${reason}`, "") === "" ? "" : t(`ending.${reason}`, { winner, loser });
}
