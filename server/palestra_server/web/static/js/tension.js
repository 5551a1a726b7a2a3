// @ts-check
// Which of the matches that are on is worth the big screen: a number, the higher the tenser.
import { sum } from "./format.js";
/** @import { LiveMatch, View } from "./types.js" */

const SEEDS = 48;

/** Late, even, disputed, and played to the last second. @param {Pick<LiveMatch, "ply" | "view" | "values" | "charged_ms" | "move_ms">} match */
export function tension({ ply, view, values = [], charged_ms = [], move_ms = [2000, 2000] }) {
  if (!view) return 0;
  const balance = lead(view, values);
  const disputed = values.every((value) => typeof value === "number" && value > 0) && values.length === 2;
  const pressed = Math.max(...charged_ms.map((ms, seat) => Math.min(1, (ms ?? 0) / move_ms[seat])), 0);
  return progress(view, ply) * (1 - Math.abs(balance)) + (disputed ? 0.3 : 0) + 0.2 * pressed;
}

/** How far a match is, from 0 to 1. @param {View} view @param {number} ply */
function progress(view, ply) {
  const filled = view.kind === "pits" ? sum(view.stores ?? [0, 0]) / SEEDS : view.cells.filter(({ kind }) => kind !== "empty").length / view.cells.length;
  return Math.min(1, 0.9 * filled + Math.min(ply, 60) / 600);
}

/**
 * Who is ahead, from -1 (seat 1) to 1 (seat 0): by the bots' own values, else by the stores.
 * @param {View} view @param {(number | null)[]} values
 */
function lead(view, values) {
  const [first, second] = view.stores ?? [0, 0];
  if (Math.max(first, second) > SEEDS / 2) return Math.sign(first - second);
  const said = values.flatMap((value, seat) => (typeof value === "number" ? [(seat === 0 ? 1 : -1) * share(value)] : []));
  if (said.length > 0) return sum(said) / said.length;
  const ahead = first - second;
  return ahead / (Math.abs(ahead) + 6);
}

/** A bot's value has no unit: some count a won game as 1, others as thousands. @param {number} value */
const share = (value) => value / (Math.abs(value) + (Math.abs(value) <= 1 ? 0.5 : 50));
