// @ts-check
// The time until then, as a figure that counts down.
import { h, View } from "../view.js";

/** @extends {View<{to: number}>} */
export class Countdown extends View {
  componentDidMount() {
    const tick = setInterval(() => this.redraw(), 250);
    this.until(() => clearInterval(tick));
  }

  render() {
    const left = Math.max(0, Math.ceil((this.props.to - Date.now()) / 1000));
    const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
    return h("p", { class: `countdown ${text.length > 5 ? "long" : ""}`, ref: this.root, role: "timer" }, text);
  }
}
