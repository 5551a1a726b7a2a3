// @ts-check
// A person's connection to /play. After a loss it comes back by itself, to the same seat; while a match is in progress it
// stays, whichever page this tab shows.
import { told } from "./i18n.js";
import { abandon, connected, line, Waits } from "./line.js";
import { lobby } from "./lobby_model.js";

const KEPT = "palestra-play";
const ELSEWHERE = "palestra-seat";
const ACCEPTED = "palestra-accepted";
const QUIET_MS = 3_000;
const FINAL = [1000, 1008, 1009, 4003, 4004, 4009];

/** Fires "change" when the tab's seat is taken, left, or its match begins or ends. */
export const seat = new (class extends EventTarget {
  /** @type {PlayLine | null} the line of this tab */
  line = null;
  /** @type {string | null} its match in progress */
  match = null;

  /** @param {PlayLine | null} line @param {string | null} match */
  set(line, match) {
    this.line = line;
    this.match = match;
    // So that another tab of this browser knows.
    if (line !== null && match !== null) localStorage.setItem(ELSEWHERE, JSON.stringify({ session: line.session, name: line.player, match }));
    else localStorage.removeItem(ELSEWHERE);
    this.dispatchEvent(new Event("change"));
  }

  /** The seat that another tab of this browser holds, or held when it was closed. @returns {{session: string, name: string, match: string} | null} */
  get elsewhere() {
    return JSON.parse(localStorage.getItem(ELSEWHERE) ?? "null");
  }

  /** A tab that was loaded anew takes its seat again, without its page. */
  resume() {
    const kept = PlayLine.kept();
    if (kept !== null && this.line === null) new PlayLine({ resume: kept });
  }
})();

// A bot waits for who comes back; a person leaves.
addEventListener("beforeunload", (event) => {
  if (seat.match !== null && lobby.players.get(seat.line?.opponent ?? "")?.person) event.preventDefault();
});

/** Fires "message" with each message of the server, "lost" and "closed" (with a sentence or null). */
export class PlayLine extends EventTarget {
  /** `match`: what is played there already. @param {{name: string} | {token: string} | {resume: string, match?: string}} who */
  constructor(who) {
    super();
    if ("match" in who && who.match) sessionStorage.setItem(ACCEPTED, who.match);
    this.who = who;
    this.player = "";
    /** @type {string | null} */
    this.session = "resume" in who ? who.resume : null;
    this.ended = false;
    this.waits = new Waits();
    this.heard = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {number | undefined} opens the next socket after a pause */
    this.pause = undefined;
    /** @type {{type: "resign", match: string | null} | null} what may have been lost with the connection */
    this.resigned = null;
    /** @type {string | null} */
    this.fault = null;
    // Whether a page shows what comes.
    this.shown = false;
    /** Whether others may challenge. */
    this.challenges = true;
    /** What the server knows of that. */
    this.allowed = true;
    /** Whom this person challenged and waits for. */
    this.challenged = "";
    /** @type {object} the challenge, which does not outlive its connection */
    this.wish = {};
    /** Who plays against this person, or did last. */
    this.opponent = "";
    /** @type {string | null} the match to which somebody else challenged, which waits to be accepted */
    this.question = null;
    // Both connections use the same network: what was sent over this one may be lost, too.
    this.doubted = false;
    this.watched = () => {
      if (line.state === "lost") this.dispatchEvent(new Event("lost"));
      else if (this.doubted && !this.ended) this.#again();
      this.doubted = line.state === "lost";
    };
    line.addEventListener("state", this.watched);
    seat.set(this, null);
    this.#open();
  }

  /** The session of this tab, if it played before it was loaded anew. */
  static kept() {
    return sessionStorage.getItem(KEPT);
  }

  /** The server says that this player has left: then what looks like an open socket is dead. */
  left() {
    const quiet = performance.now() - this.heard > QUIET_MS;
    if (!this.ended && quiet && this.session !== null && this.socket?.readyState === WebSocket.OPEN) this.#again();
  }

  /** No page shows it any more: it stays for a match in progress only. */
  leave() {
    this.shown = false;
    if (seat.match === null) this.close();
  }

  /** A page shows it again, and is told everything anew. */
  return() {
    this.shown = true;
    this.#again();
  }

  /** A new socket in place of one over which nothing comes any more. */
  #again() {
    abandon(this.socket);
    this.dispatchEvent(new Event("lost"));
    this.#open();
  }

  #open() {
    // Two sockets would take the seat from each other.
    clearTimeout(this.pause);
    const socket = (this.socket = connected("play"));
    // A browser does not give up soon on a socket that does not come to open; but the network may only be slow.
    const began = performance.now();
    setTimeout(() => {
      if (this.socket !== socket || socket.readyState !== WebSocket.CONNECTING) return;
      this.waits.unanswered();
      this.#again();
    }, this.waits.patience);
    socket.onopen = () => {
      this.waits.answered(performance.now() - began);
      this.send({
        type: "hello",
        token: "token" in this.who ? this.who.token : "",
        name: "name" in this.who ? this.who.name : null,
        client: "palestra-page/1",
        resume: this.session,
        challenges: this.challenges,
      });
      this.allowed = this.challenges;
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      if (this.ended) return;
      if (FINAL.includes(code)) {
        this.#over();
        this.dispatchEvent(new CustomEvent("closed", { detail: this.fault ?? reason ?? null }));
        return;
      }
      this.dispatchEvent(new Event("lost"));
      this.pause = setTimeout(() => this.ended || this.#open(), this.waits.pause());
    };
  }

  /** @param {any} message */
  #receive(message) {
    this.heard = performance.now();
    if (message.type === "welcome") {
      this.player = message.player;
      this.session = message.session;
      this.waits.connected();
      // For this tab only, so that a reload keeps the seat.
      sessionStorage.setItem(KEPT, message.session);
      if (message.matches.length === 0) {
        this.#between();
        if (this.challenged !== "") this.send(this.wish);
      }
    } else if (message.type === "match_start") {
      const asked = message.tournament === null && !message.players.includes(this.challenged) && sessionStorage.getItem(ACCEPTED) !== message.match;
      if (asked) this.question = message.match;
      else this.accept(message.match);
      if (this.resigned !== null && this.resigned.match === message.match) this.send(this.resigned);
      this.opponent = message.players[1 - message.seat];
      seat.set(this, message.match);
    } else if (message.type === "match_end") {
      this.#between();
    } else if (message.type === "error" && !message.match && !message.fatal) {
      this.challenged = "";
    } else if (message.type === "error" && message.fatal) {
      this.fault = told(message.code, message.message);
    }
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  /** Challenges somebody. @param {{opponent: string} & Record<string, unknown>} wish as in the protocol */
  challenge(wish) {
    this.challenged = wish.opponent;
    this.wish = { type: "challenge", ...wish };
    this.send(this.wish);
  }

  /** Plays a match, as this tab remembers when it is loaded anew. @param {string} match */
  accept(match) {
    this.question = null;
    this.challenged = "";
    sessionStorage.setItem(ACCEPTED, match);
    this.send({ type: "ready", match });
  }

  /** Declines the match that is asked for. @param {boolean} [may] whether others may challenge from then on */
  decline(may = true) {
    this.resign(this.question);
    this.question = null;
    this.challenges = may;
  }

  /** @param {string | null} match @param {{takes_back?: true}} [more] */
  resign(match, more) {
    this.resigned = { type: "resign", match, ...more };
    this.send(this.resigned);
  }

  /** Lets others challenge, or not. @param {boolean} may */
  allow(may) {
    this.challenges = may;
    this.#again();
  }

  /** No match is in progress. */
  #between() {
    this.question = null;
    // Only `hello` says whether others may challenge.
    if (this.challenges !== this.allowed) this.#again();
    if (this.shown) seat.set(this, null);
    else this.close();
  }

  #over() {
    this.ended = true;
    line.removeEventListener("state", this.watched);
    sessionStorage.removeItem(KEPT);
    if (seat.line === this) seat.set(null, null);
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.#over();
    this.socket?.close(1000);
  }
}
