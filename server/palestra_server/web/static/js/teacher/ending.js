// @ts-check
// Ending a tournament before its time: what is left unplayed, and which results count then.
import { get, post } from "../api.js";
import { ticked } from "../dialogs.js";
import { gameName } from "../format.js";
import { t } from "../i18n.js";
import { h } from "../view.js";
/** @import { Fixture, Tournament } from "../types.js" */

const SHOWN = 10;

/** False if it is not to end. @param {Tournament} one */
export async function ended(one) {
  const path = `/tournaments/${encodeURIComponent(one.name)}`;
  /** @type {{fixtures: Fixture[], next: number | null}} */
  const { fixtures, next } = await get(`${path}/schedule?state=waiting&limit=${SHOWN}`);
  const unplayed = fixtures.map(({ id, round, players, game }) => h("li", { key: id }, `${t("round.n", { n: round })} · ${players.join(" – ")} · ${gameName(game)}`));
  const name = one.title;
  const left = one.total === null ? "?" : one.total - one.played;
  const about = h("ul", { class: "plainlist small" }, unplayed, next === null ? null : h("li", null, "…"));
  const counts_all = await ticked(t("tournament.finish.sure", { name, n: left }), t("tournament.finish"), about, t("tournament.finish.all"));
  if (counts_all === null) return false;
  await post(`${path}/finish`, { counts_all });
  return true;
}
