// @ts-check
// The line to /watch: one WebSocket for everything on the page. After a loss it resumes from its last number.
// index.html loads this file before all others: the first answer is on its way while the rest of the page arrives.

/** @typedef {(event: any) => void} Listener */

const ASLEEP_MS = 30_000;
const LOOK_MS = 1000;
// A browser does not say that the server pings it: after so long a silence the page asks for an answer of its own.
const SILENCE_MS = 10_000;
// While somebody plays here, a lost connection is told within 3 s: silence, and the wait for an answer.
const HURRY = { look_ms: 400, silence_ms: 800, answer_ms: 1500 };

const ANSWER_MS = 6_000;
// A network may be slower: whenever no answer comes, the next one is waited for twice as long, up to this.
const PATIENCE_MS = 48_000;
const PAUSE_MS = [250, 1000, 2000, 3000];

/** A connection to this server. @param {"watch" | "play"} path */
export function connected(path) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/${path}`, ["palestra.v1.json"]);
}

/** Leaves a connection over which nothing comes any more. @param {WebSocket | null} socket */
export function abandon(socket) {
  if (socket === null) return;
  socket.onopen = socket.onclose = socket.onmessage = null;
  socket.close();
}

/** How long a connection waits for an answer, and how long it rests before it tries again. */
export class Waits {
  constructor() {
    /** Longest wait for an answer. */
    this.patience = ANSWER_MS;
    this.failures = 0;
  }

  /** An answer came after this many ms. @param {number} ms */
  answered(ms) {
    if (ms < ANSWER_MS) this.patience = ANSWER_MS;
  }

  /** No answer came. */
  unanswered() {
    this.patience = Math.min(2 * this.patience, PATIENCE_MS);
  }

  /** The connection holds. */
  connected() {
    this.failures = 0;
  }

  /** The pause before the next try, in ms, which is another for each of many pages. */
  pause() {
    return PAUSE_MS[Math.min(this.failures++, PAUSE_MS.length - 1)] * (0.5 + Math.random());
  }
}

class Line extends EventTarget {
  constructor() {
    super();
    /** @type {Map<string, {listeners: Set<Listener>, seq: number | null, early: any[] | null, again?: boolean}>} frames that nobody waits for yet are `early` */
    this.topics = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.waits = new Waits();
    /** @type {"open" | "lost"} */
    this.state = "open";
    this.heard = 0;
    /** @type {number | null} when an answer was asked for that has not come */
    this.asked = null;
    /** Whether somebody plays here. */
    this.hurried = false;
    // A socket from before the phone slept or changed its network looks open, and nothing comes over it any more.
    addEventListener("online", () => this.#renew());
    addEventListener("offline", () => this.topics.size > 0 && this.#tell("lost"));
    let hidden = 0;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) hidden = performance.now();
      else if (performance.now() - hidden > ASLEEP_MS) this.#renew();
    });
    document.addEventListener("resume", () => this.#renew());
    /** @type {number | undefined} looks for a silent line while anything is watched */
    this.looking = undefined;
  }

  /** Whether the server answers, as far as is known. */
  get reached() {
    return this.state === "open" && this.socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Calls `listener` with the topic's snapshot, then with each event. Returns what ends it.
   * @param {string} topic
   * @param {Listener} listener
   * @returns {() => void}
   */
  watch(topic, listener) {
    const entry = this.topics.get(topic) ?? { listeners: new Set(), seq: null, early: null };
    this.topics.set(topic, entry);
    entry.listeners.add(listener);
    entry.again = false;
    if (entry.early === null) {
      // Also for a second listener: a new snapshot is where it begins, and does no harm to the first.
      this.#send({ type: "watch", topic });
    } else {
      const early = entry.early;
      entry.early = null;
      queueMicrotask(() => early.forEach((frame) => (frame.type === "error" ? this.#refuse(frame) : listener(frame.event))));
    }
    this.#connect();
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0 && this.topics.get(topic) === entry) {
        this.topics.delete(topic);
        this.#send({ type: "unwatch", topic });
        if (this.topics.size === 0) {
          clearInterval(this.looking);
          this.looking = undefined;
        }
      }
    };
  }

  /** Asks for a topic that a page will soon listen to. @param {string} topic */
  expect(topic) {
    this.topics.set(topic, { listeners: new Set(), seq: null, early: [] });
    this.#connect();
  }

  /** Somebody plays here, or does so no longer: then a lost connection is told sooner. @param {boolean} on */
  hurry(on) {
    this.hurried = on;
    clearInterval(this.looking);
    this.looking = undefined;
    if (this.topics.size > 0) this.#look();
  }

  #look() {
    this.looking ??= setInterval(() => this.#listen(), this.hurried ? HURRY.look_ms : LOOK_MS);
  }

  /** A new socket in place of one that may be dead. */
  #renew() {
    if (this.socket?.readyState !== WebSocket.CONNECTING) this.#replace();
  }

  #replace() {
    abandon(this.socket);
    this.socket = null;
    this.#connect();
  }

  /** Something came. */
  #hear() {
    this.heard = performance.now();
    if (this.asked !== null) this.waits.answered(this.heard - this.asked);
    this.asked = null;
    if (this.socket?.readyState === WebSocket.OPEN) this.#tell("open");
  }

  /** A connection that died without a word looks like one on which nothing happens: now and then an answer is asked for. */
  #listen() {
    const { socket } = this;
    if (socket === null) return;
    const now = performance.now();
    const silence = this.hurried ? HURRY.silence_ms : SILENCE_MS;
    if (this.hurried && this.asked !== null && now - this.asked > HURRY.answer_ms) this.#tell("lost");
    if (this.asked !== null && now - this.asked > this.waits.patience) {
      this.waits.unanswered();
      this.#tell("lost");
      this.#replace();
    } else if (this.asked === null && socket.readyState === WebSocket.OPEN && now - this.heard > silence) {
      this.#ask(now);
    }
  }

  /** Asks for the latest event once more, which shows nothing new; or again for what never came. @param {number} now */
  #ask(now) {
    const known = [...this.topics].filter(([, { seq }]) => seq !== null);
    const [topic, entry] = known.find(([name]) => name === "lobby") ?? known[0] ?? [...this.topics][0] ?? [];
    if (topic === undefined || entry === undefined) return;
    this.asked = now;
    entry.again = true;
    const seq = Number(entry.seq);
    this.#send({ type: "watch", topic, ...(seq > 0 && { from: seq - 1 }) });
  }

  #connect() {
    // Nobody waits for anything: nothing is lost.
    if (this.topics.size === 0) return this.#tell("open");
    if (this.looking === undefined) this.heard = performance.now();
    this.#look();
    if (this.socket !== null) return;
    const socket = (this.socket = connected("watch"));
    // A browser waits long for a socket to open, too.
    this.asked = performance.now();
    socket.onopen = () => {
      this.waits.connected();
      this.#hear();
      for (const [topic, entry] of this.topics) {
        entry.again = false;
        this.#send({ type: "watch", topic, ...(entry.seq !== null && { from: entry.seq }) });
      }
      this.#tell("open");
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => {
      this.socket = null;
      this.asked = null;
      if (this.topics.size === 0) return;
      this.#tell("lost");
      setTimeout(() => this.#connect(), this.waits.pause());
    };
  }

  /** @param {any} frame */
  #receive(frame) {
    this.#hear();
    if (frame.type === "error") {
      const expected = [...this.topics.values()].find(({ early }) => early !== null);
      if (expected) expected.early?.push(frame);
      else this.#refuse(frame);
      return;
    }
    const entry = this.topics.get(frame.topic);
    if (frame.type !== "event" || entry === undefined) return;
    const snapshot = frame.event.type === "snapshot";
    // The answer to whether the line lives, where no event is kept that could be sent again.
    if (snapshot && entry.again && frame.seq === entry.seq) return;
    entry.again = false;
    if (!snapshot && entry.seq !== null) {
      if (frame.seq <= entry.seq) return;
      if (frame.seq > entry.seq + 1) {
        // Something is missing: ask for it rather than show a hole.
        this.#send({ type: "watch", topic: frame.topic, from: entry.seq });
        return;
      }
    }
    entry.seq = frame.seq;
    entry.early?.push(frame);
    for (const listener of [...entry.listeners]) listener(frame.event);
  }

  /** @param {any} frame */
  #refuse(frame) {
    this.dispatchEvent(new CustomEvent("refused", { detail: frame }));
  }

  /** @param {object} message */
  #send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {"open" | "lost"} state */
  #tell(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

export const line = new Line();

const match = /^\/match\/([\w-]+)\/?$/.exec(location.pathname);
if (match) line.expect(`match:${match[1]}`);
else if (/^\/(screen\/?)?$/.test(location.pathname)) line.expect("lobby");
