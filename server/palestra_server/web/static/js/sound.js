// @ts-check
// A short tone at a move and at an end, for who wants it.
import { t } from "./i18n.js";
import { keep, kept } from "./kept.js";
import { h, View } from "./view.js";

const KEY = "sound";
const TONE_S = 0.12;
const LOUD = 0.15;
/** In Hz: a move of each seat, and an end. */
const MOVES = [523, 440];
const END = [392, 523, 659];

/** Fires "change". */
export const sound = new (class extends EventTarget {
  on = kept(KEY) === "on";
  /** @type {AudioContext | null} */
  context = null;

  toggle() {
    this.on = !this.on;
    keep(KEY, this.on ? "on" : "off");
    this.#play(END);
    this.dispatchEvent(new Event("change"));
  }

  /** Of what happened in a match just now. @param {{type: string, seat?: number}} event */
  hear({ type, seat = 0 }) {
    if (type === "played") this.#play([MOVES[seat]]);
    else if (type === "match_end") this.#play(END);
  }

  /** @param {number[]} pitches */
  #play(pitches) {
    if (!this.on) return;
    const context = (this.context ??= new AudioContext());
    // A page makes no sound before somebody has touched it, and what it owed until then it does not make up for.
    if (context.state !== "running") context.resume();
    else pitches.forEach((pitch, at) => tone(context, pitch, context.currentTime + at * TONE_S));
  }
})();

/** @param {AudioContext} context @param {number} pitch @param {number} start */
function tone(context, pitch, start) {
  const [source, volume] = [context.createOscillator(), context.createGain()];
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(LOUD, start + 0.01);
  volume.gain.linearRampToValueAtTime(0, start + TONE_S);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + TONE_S);
}

/** Turns them on or off. */
export class SoundButton extends View {
  componentDidMount() {
    this.hear(sound, "change", () => this.redraw());
  }

  render() {
    return h("button", { type: "button", "aria-pressed": String(sound.on), onClick: () => sound.toggle() }, t("sound"));
  }
}
