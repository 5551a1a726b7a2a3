// @ts-check
// The lobby as sent by /watch: who is here and what is being played. All parts of the page share one.
import { line } from "./line.js";
/** @import { LiveMatch, LobbyEvent, Present } from "./types.js" */

class LobbyModel {
  /** @type {Map<string, Present>} */
  players = new Map();
  /** @type {Map<string, LiveMatch>} by their id, those that began first first */
  matches = new Map();
  /** Whether a snapshot has come. */
  known = false;
  /** @type {Set<(event: LobbyEvent) => void>} */
  #listeners = new Set();
  #stop = () => {};

  /**
   * Calls `listener` after each event, which this model has taken in by then. Returns what ends it.
   * @param {(event: LobbyEvent) => void} listener
   */
  watch(listener) {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#stop = line.watch("lobby", (event) => this.#hear(event));
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#stop();
      this.players = new Map();
      this.matches = new Map();
      this.known = false;
    };
  }

  /** @param {LobbyEvent} event */
  #hear(event) {
    this.#take(event);
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** @param {LobbyEvent} event */
  #take(event) {
    if (event.type === "snapshot") {
      this.known = true;
      this.players = new Map(event.players.map((player) => [player.name, player]));
      this.matches = new Map(event.matches.map((match) => [match.match, this.#begun(match)]));
    } else if (event.type === "player_joined") {
      this.players.set(event.player, { name: event.player, busy: false, person: event.person });
    } else if (event.type === "player_left") {
      this.players.delete(event.player);
    } else if (event.type === "match_start") {
      if (!this.matches.has(event.match)) this.matches.set(event.match, this.#begun(event));
    } else if (event.type === "played") {
      const match = this.matches.get(event.match);
      if (match) Object.assign(match, event, { type: undefined, before: match.view });
    } else if (event.type === "match_end") {
      this.matches.delete(event.match);
    }
  }

  /** The match of a snapshot or a start, with what the page alone knows of it. @param {LiveMatch} match @returns {LiveMatch} */
  #begun(match) {
    const before = this.matches.get(match.match)?.view ?? null;
    return { ...match, ply: match.ply ?? 0, view: match.view ?? null, before, began: performance.now() - (match.age_ms ?? 0) };
  }
}

export const lobby = new LobbyModel();
