// @ts-check
// The two bots' search reports at the position shown.
import { compact, worth } from "../format.js";
import { t } from "../i18n.js";
import { turningPoint } from "../turn.js";
import { h, table } from "../view.js";
import { disc } from "./seat.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Analysis, Move } from "../types.js" */

/** @param {{model: MatchModel, at: number, analysis: Analysis | null, onGo: (ply: number) => void}} props `at`: the plies played at the position that is shown */
export function Reports({ model, at, analysis, onGo }) {
  const before = model.moves.slice(0, at).reverse();
  const last = before.find((move) => move.info !== null);
  const pv = last?.info?.pv?.map((action) => model.nameOf(action)).join(" · ");
  const text = last?.info?.text;
  const head = ["depth", "nodes", "value"].map((key) => h("th", { class: "num" }, t(`info.${key}`)));
  return h(
    "div",
    { class: `card reports ${last === undefined ? "silent" : ""}` },
    table({}, [h("th", null, t("info.bot")), head], [row(model, before, 1), row(model, before, 0)]),
    h(
      "p",
      { class: "quiet small pv" },
      last === undefined ? t("info.none") : null,
      pv ? t("info.pv", { line: pv }) : null,
      pv && text ? h("br", null) : null,
      text && last ? `${model.players[last.seat]}: ${text}` : null,
    ),
    analysis === null ? turned(model, onGo) : null,
  );
}

/** Where no judge says where the match was lost. @param {MatchModel} model @param {(ply: number) => void} go */
function turned(model, go) {
  const found = model.result === null ? null : turningPoint(model.moves, model.result.returns);
  if (found === null) return null;
  const [before, after] = found;
  const [n, later] = [before.ply, after.ply];
  const said = t("turned", { name: model.players[before.seat], n, later, value: worth(before.info ?? {}), fell: worth(after.info ?? {}) });
  return h("p", { class: "turned" }, said, " ", h("button", { type: "button", onClick: () => go(before.ply) }, t("turned.look")));
}

/** @param {MatchModel} model @param {Move[]} before the latest first @param {0 | 1} seat */
function row(model, before, seat) {
  const info = before.find((move) => move.seat === seat && move.info !== null)?.info ?? null;
  const cell = (/** @type {number | undefined | null} */ value, /** @type {(n: number) => string} */ say) => h("td", { class: "num" }, typeof value === "number" ? say(value) : "–");
  return h("tr", null, h("td", { class: "bot" }, disc(seat), " ", model.players[seat]), cell(info?.depth, String), cell(info?.nodes, compact), h("td", { class: "num" }, typeof info?.value === "number" ? worth(info) : "–"));
}
