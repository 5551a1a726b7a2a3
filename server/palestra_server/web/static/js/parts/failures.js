// @ts-check
// What went wrong with one's own bot: the same fault once, with how often, and each time's position and record.
import { to } from "../addresses.js";
import { clockTime, dotted, ending, gameName, grouped, ruled } from "../format.js";
import { t, tOr } from "../i18n.js";
import { h } from "../view.js";
import { Evidence } from "./evidence.js";
/** @import { Summary as Failure } from "../types.js" */

/** @param {Failure[]} failures newest first @param {string} player whose bot it is */
export function failureList(failures, player) {
  const same = grouped(failures, ({ game, reason, why }) => JSON.stringify([game, reason, why?.code]));
  return h("ul", { class: "plainlist tight" }, [...same.values()].map((group) => groupRow(group, player)));
}

/** @param {Failure[]} group @param {string} player */
function groupRow(group, player) {
  const [newest, ...others] = group;
  const often = others.length > 0 ? t("failure.times", { n: group.length }) : null;
  return h(
    "li",
    { key: newest.match, class: "failure" },
    h("b", null, newest.reason === "resign" ? t("failure.resign") : tOr(`reason.${newest.reason}`, newest.reason ?? "")),
    often === null ? null : h("span", { class: "times" }, ` · ${often}`),
    told(newest, player),
    others.length === 0
      ? null
      : h("details", null, h("summary", null, t("failure.others", { n: others.length })), h("ul", { class: "plainlist tight" }, others.map((one) => h("li", null, told(one, player))))),
  );
}

/** How one match was lost, its position, and the record to play it again at home. @param {Failure} match @param {string} player */
function told(match, player) {
  const others = match.players.filter((name) => name !== player).join(", ");
  return [
    h("div", null, ending(/** @type {any} */ (match))),
    h("div", { class: "quiet small" }, dotted([ruled(match), gameName(match.game), others, clockTime(match.ended)])),
    h(
      "div",
      { class: "row" },
      h("a", { class: "button", href: to.match(match.match, match.plies ?? 0) }, t("failure.look")),
      h("a", { class: "button", href: `/api/v1/matches/${encodeURIComponent(match.match)}/record`, download: `${match.match}.jsonl` }, t("record.get")),
    ),
    h(Evidence, { match: match.match, players: match.players }),
  ];
}
