// @ts-check
// Back and forth through a match: slider, buttons, keys, playing by itself, back to live.
import { number } from "../format.js";
import { t } from "../i18n.js";
import { h, View } from "../view.js";

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
const icon = (sign) => h("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: SIGNS[sign] }));

/**
 * `at` and `last`: the plies played at the position that is shown, and at the last one; `following`: the latest is shown,
 * whichever that is; `word`: the move that led there. Calls `onGo` with the plies of the wanted position, null for the latest.
 * @typedef {{at: number, last: number, running: boolean, following: boolean, word?: string, onGo: (ply: number | null) => void}} Props
 */

/** @extends {View<Props, {playing: boolean, speed: number}>} */
export class Scrubber extends View {
  state = { playing: false, speed: 1 };
  /** The position to which it played by itself. */
  reached = 0;

  componentDidMount() {
    this.hear(document, "keydown", (event) => this.#key(event));
  }

  /** What plays by itself stops at a position that somebody chose. @param {Props} before @param {{playing: boolean, speed: number}} state @param {HTMLElement | null} focused */
  componentDidUpdate(before, state, focused) {
    super.componentDidUpdate(before, state, focused);
    if (this.state.playing && this.props.at !== this.reached) this.#halt();
  }

  /** @param {number | null} ply */
  #go(ply) {
    this.#halt();
    this.#send(ply);
  }

  /** @param {number | null} ply */
  #send(ply) {
    this.props.onGo(ply === null ? null : Math.max(0, Math.min(this.props.last, ply)));
  }

  #toggle() {
    if (this.state.playing) {
      this.#halt();
      return;
    }
    const { at, last } = this.props;
    this.reached = at >= last ? 0 : at;
    if (at >= last) this.#send(0);
    this.setState({ playing: true });
    this.later(0, () => this.#step());
  }

  #step() {
    const { at, last } = this.props;
    this.reached = Math.min(at + 1, last);
    this.#send(this.reached);
    if (this.reached === last) this.#halt();
    else this.later(900 / this.state.speed, () => this.#step());
  }

  #halt() {
    this.cancel();
    this.setState({ playing: false });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key === " " && target?.closest("button, a, summary")) return;
    const act = {
      ArrowLeft: () => this.#go(this.props.at - 1),
      ArrowRight: () => this.#go(this.props.at + 1),
      Home: () => this.#go(0),
      End: () => this.#go(null),
      " ": () => this.#toggle(),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  render() {
    const { at, last, running, following, word } = this.props;
    const { playing, speed } = this.state;
    const button = (/** @type {keyof typeof SIGNS} */ sign, /** @type {() => void} */ act) =>
      h("button", { type: "button", onClick: act, "aria-label": t(`replay.${sign}`), title: t(`replay.${sign}`) }, icon(sign));
    const chosen = (/** @type {Event} */ event) => Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
    return h(
      "div",
      { class: "scrubber", role: "group", "aria-label": t("replay") },
      h("input", { type: "range", min: 0, max: last, step: 1, value: at, "aria-label": t("replay.slider"), "aria-valuetext": [t("ply.of", { n: at, all: last }), word].filter(Boolean).join(": "), style: { "--done": `${last === 0 ? 0 : (100 * at) / last}%` }, onInput: (/** @type {Event} */ event) => this.#go(chosen(event)) }),
      h(
        "div",
        { class: "steps" },
        button("first", () => this.#go(0)),
        button("previous", () => this.#go(at - 1)),
        button(playing ? "pause" : "play", () => this.#toggle()),
        button("next", () => this.#go(at + 1)),
        button("last", () => this.#go(null)),
      ),
      h("select", { "aria-label": t("replay.speed"), value: speed, onChange: (/** @type {Event} */ event) => this.setState({ speed: chosen(event) }) }, SPEEDS.map((each) => h("option", { value: each }, `${number(each, Number.isInteger(each) ? 0 : 1)}×`))),
      h("span", { class: "quiet small keys" }, t("replay.keys")),
      h("button", { type: "button", class: "live", hidden: !running, "aria-pressed": String(following), onClick: () => this.#go(null) }, t("replay.live")),
    );
  }
}
