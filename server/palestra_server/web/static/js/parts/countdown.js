// @ts-check
// The time until then, as a figure that counts down.
import { duration } from "../format.js";
import { h, View } from "../view.js";

/** @extends {View<{to: number}>} */
export class Countdown extends View {
  componentDidMount() {
    this.every(250, () => this.redraw());
  }

  render() {
    const text = duration(1000 * Math.ceil((this.props.to - Date.now()) / 1000));
    return h("p", { class: "countdown", ref: this.root, role: "timer", style: { "--chars": String(text.length) } }, text);
  }
}
