// @ts-check
// What all scenes of the big screen share: title and hairline above, news and the server's address below.
import { t } from "../i18n.js";
import { line } from "../line.js";
import { about } from "../session.js";
import { h, View } from "../view.js";

/** @typedef {import("../view.js").Children} Children */

const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** @extends {View<{scene: string, title: Children, aside?: Children, news?: Children, children?: Children}>} */
export class Frame extends View {
  address = "";

  componentDidMount() {
    this.hear(line, "state", () => this.redraw());
    about().then(
      ({ page }) => {
        // Of two addresses the one that others can reach.
        const served = page.replace(/^https?:\/\//, "");
        this.address = LOOPBACK.test(served) ? location.host : served;
        this.redraw();
      },
      () => {},
    );
  }

  render() {
    const { scene, title, aside = null, news = null, children } = this.props;
    return h(
      "div",
      { class: `screen-frame ${scene.split(" ").filter(Boolean).map((name) => `at-${name}`).join(" ")}`, ref: this.root },
      h("header", { class: "screen-head" }, h("h1", null, title), h("p", { class: "aside" }, aside)),
      h("div", { class: "stage" }, children),
      h(
        "footer",
        { class: "screen-foot" },
        h("p", { class: "news" }, news),
        h("p", { class: line.state === "lost" ? "pill lost" : "only-read", role: "status" }, line.state === "lost" ? t("line.lost") : ""),
        h("p", { class: "address" }, this.address),
      ),
    );
  }
}

/** The time until then, as a large figure that counts down. @extends {View<{until: number}>} */
export class Countdown extends View {
  componentDidMount() {
    const tick = setInterval(() => this.redraw(), 250);
    this.until(() => clearInterval(tick));
  }

  render() {
    const left = Math.max(0, Math.ceil((this.props.until - Date.now()) / 1000));
    const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
    return h("p", { class: `countdown ${text.length > 5 ? "long" : ""}`, ref: this.root, role: "timer" }, text);
  }
}
