// @ts-check
// The featured match on the big screen, and what came of it.
import { Board } from "../board/board.js";
import { dotted, ending, gameName, points, shares, tournamentName } from "../format.js";
import { t } from "../i18n.js";
import { lobby } from "../lobby_model.js";
import { Clock, hand, Timed } from "../parts/clock.js";
import { worthOf } from "../parts/judged.js";
import { disc } from "../parts/seat.js";
import { h } from "../view.js";
import { Frame } from "./frame.js";
import { pointsOf, roundOf, stage } from "./tables.js";
/** @import { MatchModel } from "../match_model.js" */
/** @import { Seat } from "../types.js" */
/** @import { News } from "./news.js" */

/** @param {{news: News, model: MatchModel, why: import("./programme.js").Why | null, over: boolean}} props */
export function Game({ news, model, why, over }) {
  const { cup } = news;
  const ours = cup !== null && cup.name === model.tournament;
  const { view } = model;
  const ended = over ? model.result : null;
  const value = ended === null && news.order.match === model.match ? news.order.value : null;
  const aside = dotted([gameName(model.game), ours ? (news.bracket.length > 0 ? stage(cup) : roundOf(cup.round, cup.rounds)) : ""]);
  const told = why === null || why.code === "on" ? "" : [h("b", null, t("screen.featured")), " ", t(`screen.why.${why.code}`, why.values)];
  const side = (/** @type {Seat} */ seat) => h(Rival, { key: seat, seat, model, news, ended: ended !== null });
  return h(
    Frame,
    { scene: `game ${view?.kind ?? ""} ${ended !== null ? "over" : ""}`, title: tournamentName(model) ?? t("screen.casual"), aside, news: value !== null ? t("screen.judged", { value: worthOf(value, model) }) : view?.kind === "pits" && ended === null && told !== "" ? told : t("ply.n", { n: model.plies }) },
    h(
      "div",
      { class: "arena" },
      h(Board, { view, before: model.views.at(-2) ?? null, action: model.moves.at(-1)?.action ?? null }),
      value === null ? null : h("div", { class: "truth-bar" }, h("i", { style: { "--share": `${100 * value.chance}%` } })),
      // Seat 0 sits below, as on the board.
      h("div", { class: "facing" }, side(1), h("p", { class: ended === null ? "reason" : "verdict" }, ended === null ? told : [h("b", null, verdict(model)), " ", ending({ players: model.players, game: model.game, ...ended }), firstLoss(news, model)]), side(0)),
    ),
  );
}

/** Who won, in words: names stand where they are seen, so no figures could be read the wrong way round. @param {MatchModel} model */
function verdict({ players: [first, second], result }) {
  if (result === null) return "";
  const [mine, other] = shares(result);
  if (mine === other) return t(mine > 0 ? "screen.draw" : "screen.void", { first, second });
  return t("screen.beats", mine > other ? { winner: first, loser: second } : { winner: second, loser: first });
}

/** That the leader lost for the first time, once the standings say so. @param {News} news @param {MatchModel} model */
function firstLoss({ cup, rows }, { tournament, players, result }) {
  const led = rows.filter(({ before, reference }) => before === 1 && !reference);
  const name = players[(result?.returns[0] ?? 0) > 0 ? 1 : 0];
  const fell = cup?.name === tournament && led.length === 1 && led[0].player === name && led[0].losses === 1;
  return fell && result?.returns[0] !== result?.returns[1] ? ` ${t("screen.first.loss", { name })}` : "";
}

/** A player beside the board: name, place and clock. @extends {Timed<{seat: Seat, model: MatchModel, news: News, ended: boolean}>} */
class Rival extends Timed {
  clock = new Clock(1);

  run() {
    const { model, seat, ended } = this.props;
    if (model.players[0] === "") return;
    model.look(lobby);
    this.clock.show(hand(model, seat), ended ? (model.result === null ? "" : points(shares(model.result)[seat])) : "");
  }

  render() {
    const { model, seat, news, ended } = this.props;
    const name = model.players[seat];
    const row = news.cup?.name === model.tournament ? news.rows.find(({ player, reference }) => player === name && !reference) : undefined;
    const place = row === undefined || row.played === 0 ? "" : [t("screen.place", { n: row.rank }), pointsOf(row.points)].join(" · ");
    const won = (model.result?.returns[seat] ?? 0) > 0;
    return h(
      "div",
      { class: `rival s${seat} ${!ended && model.view?.to_move === seat ? "moves-now" : ""} ${ended && won ? "winner" : ""}`, ref: this.root, style: { "--chars": String(Math.max(4, name.length)) } },
      h("p", { class: "name" }, disc(seat), h("span", null, name)),
      h("p", { class: "quiet" }, place),
      this.clock.time,
      this.clock.bar,
    );
  }
}
