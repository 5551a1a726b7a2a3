// @ts-check
// The evidence of a match: for each answer when it was asked for, when its bytes came, and what it was charged.
import { get } from "../api.js";
import { sum } from "../format.js";
import { t } from "../i18n.js";
import { h, table, toggled, View } from "../view.js";

/**
 * @typedef {{move: number, seat: number, action: number | null, played: boolean, stamp: string | null,
 *   asked_ms: number, arrived_ms: number | null, charged_ms: number | null, away_ms: number | null, unaccounted_ms: number}} Answer
 */

/** Milliseconds as seconds with all that was measured. @param {number | null} ms */
const exactly = (ms) => (ms === null ? "–" : `${(ms / 1000).toFixed(3)} s`);

/** Asks for it once it is opened. @extends {View<{match: string, players: string[]}, {answers: Answer[] | null, fault: string | null}>} */
export class Evidence extends View {
  /** @type {{answers: Answer[] | null, fault: string | null}} */
  state = { answers: null, fault: null };

  async #load() {
    if (this.state.answers !== null) return;
    await get(`/matches/${encodeURIComponent(this.props.match)}/evidence`)
      .then(({ answers }) => this.setState({ answers, fault: null }))
      .catch(({ message }) => this.setState({ fault: message }));
  }

  render() {
    const { answers, fault } = this.state;
    return h(
      "details",
      { class: "evidence small", onToggle: toggled((open) => open && this.#load()) },
      h("summary", { class: "quiet" }, t("evidence")),
      h("div", { class: "scroll" }, fault !== null ? h("p", { class: "say bad" }, fault) : answers && shown(answers, this.props.players)),
    );
  }
}

/** @param {Answer[]} answers @param {string[]} players */
function shown(answers, players) {
  const heads = ["move", "player", "asked", "arrived", "stamp", "charged", "away", "unaccounted"];
  const rows = answers.map((one) => {
    const arrived = one.action === null ? t("evidence.never") : exactly(one.arrived_ms);
    const cells = [one.move, players[one.seat], exactly(one.asked_ms), arrived, one.stamp ? t(`evidence.stamp.${one.stamp}`) : "–", exactly(one.charged_ms), exactly(one.away_ms), exactly(one.unaccounted_ms)];
    return h("tr", { class: one.played ? "" : "bad" }, cells.map((cell) => h("td", null, cell)));
  });
  return [
    h("p", { class: "quiet" }, t("evidence.what"), " ", t("evidence.sum", { s: exactly(sum(answers.map((one) => one.unaccounted_ms))) })),
    table({}, heads.map((head) => h("th", null, t(`evidence.${head}`))), rows),
  ];
}
