// @ts-check
// What all scenes of the big screen share: title and hairline above, news and the server's address below.
import { t } from "../i18n.js";
import { line } from "../line.js";
import { about } from "../session.js";
import { h, View } from "../view.js";
/** @import { Children } from "../view.js" */

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
