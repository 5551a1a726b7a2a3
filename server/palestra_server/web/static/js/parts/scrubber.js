// @ts-check
// Back and forth through a match: slider, buttons, keys, playing by itself, back to live.
import { fill, h, svg } from "../dom.js";
import { number } from "../format.js";
import { t } from "../i18n.js";

const SPEEDS = [0.5, 1, 2, 4, 8];

/** The signs on the buttons, as paths on 16 x 16. */
const SIGNS = {
  first: "M3 3h2v10H3zM14 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 3v10l9-5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM2 3v10l8-5z",
};

/** @param {keyof typeof SIGNS} sign */
const icon = (sign) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] }));

/** Fires "go" with the plies played at the wanted position, or "live". */
export class Scrubber extends EventTarget {
  constructor() {
    super();
    this.at = 0;
    this.last = 0;
    this.live = false;
    this.timer = 0;
    const button = (/** @type {keyof typeof SIGNS} */ sign, /** @type {() => void} */ act) =>
      h("button", { type: "button", onclick: act, "aria-label": t(`replay.${sign}`), title: t(`replay.${sign}`) }, icon(sign));
    this.slider = h("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": t("replay.slider") });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.play = button("play", () => this.toggle());
    this.speed = h("select", { "aria-label": t("replay.speed") }, SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${number(speed, Number.isInteger(speed) ? 0 : 1)}×`)));
    this.back = h("button", { type: "button", class: "live", onclick: () => this.toLive() }, t("replay.live"));
    this.element = h(
      "div",
      { class: "scrubber", role: "group", "aria-label": t("replay") },
      this.slider,
      h(
        "div",
        { class: "steps" },
        button("first", () => this.go(0)),
        button("previous", () => this.go(this.at - 1)),
        this.play,
        button("next", () => this.go(this.at + 1)),
        button("last", () => this.toLive()),
      ),
      this.speed,
      h("span", { class: "quiet small keys" }, t("replay.keys")),
      this.back,
    );
  }

  /** @param {number} at @param {number} last @param {boolean} running whether the match is on @param {boolean} following */
  show(at, last, running, following) {
    this.at = at;
    this.last = last;
    this.slider.max = String(last);
    this.slider.value = String(at);
    this.slider.style.setProperty("--done", `${last === 0 ? 0 : (100 * at) / last}%`);
    this.back.hidden = !running;
    this.back.setAttribute("aria-pressed", String(following));
  }

  /** To a position that somebody chose: what plays by itself stops. @param {number} ply */
  go(ply) {
    this.halt();
    this.#send(ply);
  }

  /** @param {number} ply */
  #send(ply) {
    this.dispatchEvent(new CustomEvent("go", { detail: Math.max(0, Math.min(this.last, ply)) }));
  }

  toLive() {
    this.halt();
    this.dispatchEvent(new CustomEvent("live"));
  }

  toggle() {
    if (this.timer !== 0) {
      this.halt();
      return;
    }
    if (this.at >= this.last) this.go(0);
    this.#playing(true);
    const step = () => {
      if (this.at >= this.last || !this.element.isConnected) {
        this.halt();
        return;
      }
      this.#send(this.at + 1);
      if (this.at >= this.last) this.halt();
      else this.timer = setTimeout(step, 900 / Number(this.speed.value));
    };
    this.timer = setTimeout(step, 0);
  }

  halt() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.#playing(false);
  }

  /** @param {boolean} on */
  #playing(on) {
    fill(this.play, icon(on ? "pause" : "play"));
    this.play.setAttribute("aria-label", t(on ? "replay.pause" : "replay.play"));
    this.play.title = t(on ? "replay.pause" : "replay.play");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key === " " && target?.closest("button, a")) return;
    const act = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.toLive(),
      " ": () => this.toggle(),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}
