// @ts-check
// A schedule may have hundreds of thousands of matches: asks for the rounds that are folded out, a page at a time.
import { get } from "../api.js";
import { t } from "../i18n.js";
import { h, toggled } from "../view.js";
import { meetingList } from "./schedule.js";
/** @import { Fixture } from "../types.js" */

/** @typedef {{fixtures: Fixture[], more: boolean, wanted: number, ended: number}} List `ended`: how many of its round were over */
/** @typedef {{players: string[], group: string, round: number}} Wish one player's matches, or those of two against each other; or a round, which is folded out */

const PAGE = 100;
const PAGE_MAX = 1000; // that the server sends at once

export class SchedulePages {
  /** @param {string} base the tournament's address @param {() => void} changed there is something else to show */
  constructor(base, changed) {
    this.base = base;
    this.changed = changed;
    /** @type {{round: number, fixtures: number, ended: number}[]} */
    this.all = [];
    /** @type {Map<number | null, List>} by round; null: of all rounds */
    this.lists = new Map();
    this.query = "";
    /** @type {Wish} */
    this.wish = { players: [], group: "", round: 1 };
  }

  /** @param {Wish} wish */
  async load(wish) {
    const query = new URLSearchParams([...wish.players.map((name) => ["player", name]), ...(wish.group === "" ? [] : [["group", wish.group]])]);
    if (String(query) !== this.query) this.lists.clear();
    this.query = String(query);
    this.wish = wish;
    const first = wish.players.length > 0 ? null : wish.round;
    await this.#ask(first);
    for (const [round, { ended }] of this.lists) {
      const now = this.all.find((each) => each.round === round);
      if (round !== first && now !== undefined && (now.ended < now.fixtures || now.ended !== ended)) await this.#ask(round);
    }
  }

  forget() {
    this.lists.clear();
  }

  /** @param {number | null} round @param {number} [wanted] */
  async #ask(round, wanted = this.lists.get(round)?.wanted ?? PAGE) {
    const { query } = this;
    /** @type {Fixture[]} */
    const fixtures = [];
    let start = 0;
    while (start !== null && fixtures.length < wanted) {
      const part = new URLSearchParams([...new URLSearchParams(query), ["start", String(start)], ["limit", String(Math.min(PAGE_MAX, wanted - fixtures.length))], ...(round === null ? [] : [["round", String(round)]])]);
      const page = await get(`${this.base}/schedule?${part}`);
      if (query !== this.query) return;
      fixtures.push(...page.fixtures);
      this.all = page.rounds;
      start = page.next;
    }
    const ended = this.all.find((each) => each.round === round)?.ended ?? 0;
    this.lists.set(round, { fixtures: start === null ? fixtures : whole(fixtures), more: start !== null, wanted, ended });
  }

  /** The fixtures of one player, or of two against each other. */
  get fixtures() {
    return this.lists.get(null)?.fixtures ?? [];
  }

  /** What there is to see: a fold for each round. */
  show() {
    const all = this.lists.get(null);
    if (all === undefined) return this.all.map((each) => this.#fold(each));
    const rounds = [...new Set(all.fixtures.map(({ round }) => round))];
    const folds = rounds.map((round) => fold(round, null, true, meetingList(all.fixtures.filter((fixture) => fixture.round === round))));
    return [...folds, this.#more(null, all)];
  }

  /** @param {{round: number, fixtures: number, ended: number}} of */
  #fold({ round, fixtures, ended }) {
    const far = ended > 0 ? t("matches.of", { n: ended, all: fixtures }) : t("matches.n", { n: fixtures });
    const list = this.lists.get(round);
    const inside = list === undefined ? h("p", { class: "quiet" }, t("loading")) : [meetingList(list.fixtures), this.#more(round, list)];
    return fold(round, this.wish.group === "" ? far : null, round === this.wish.round, inside, (open) => {
      if (!open) this.lists.delete(round);
      else if (!this.lists.has(round)) this.#ask(round).then(this.changed, () => {});
    });
  }

  /** @param {number | null} round @param {List} list */
  #more(round, { more, wanted }) {
    return more ? h("p", null, h("button", { type: "button", onClick: () => this.#ask(round, 2 * wanted).then(this.changed, () => {}) }, t("more"))) : null;
  }
}

/** Without the last meeting, of which there may be more on the next page. @param {Fixture[]} fixtures */
function whole(fixtures) {
  const last = fixtures[fixtures.length - 1];
  const kept = fixtures.filter(({ round, table }) => round !== last.round || table !== last.table);
  return kept.length > 0 ? kept : fixtures;
}

/** @param {number} round @param {string | null} far how many of its matches are over @param {boolean} open @param {import("../view.js").Children} inside @param {(open: boolean) => void} [heard] */
function fold(round, far, open, inside, heard = () => {}) {
  return h("details", { key: round, open, class: "round", onToggle: toggled(heard) }, h("summary", null, t("Round.n", { n: round }), " ", h("span", { class: "quiet small" }, far)), inside);
}
