// @ts-check
// In place of a page whose script did not load: the server is unreachable, or something blocks it.
import { t } from "../i18n.js";
import { line } from "../line.js";
import { lobby } from "../lobby_model.js";
import { h, View } from "../view.js";
import { yard } from "./empty.js";

/** Loads the document anew when the server answers again after it was gone, by itself or when asked. @extends {View<{}, {asking: boolean}>} */
export class Unreached extends View {
  state = { asking: false };

  componentDidMount() {
    // While the connection is up, the same script would be missing again and again.
    this.hear(line, "state", () => (line.reached ? location.reload() : this.redraw()));
    this.until(lobby.watch(() => this.redraw()));
  }

  async #again() {
    this.setState({ asking: true });
    await fetch("/healthz").then(() => location.reload(), () => {});
    this.setState({ asking: false });
  }

  render() {
    const said = t(line.reached ? "fault.part" : "fault.unreachable");
    const again = h("button", { type: "button", class: "main", disabled: this.state.asking, onClick: () => this.#again() }, t("fault.again"));
    return h("pal-unreached", null, h("div", { class: "card" }, h("div", { class: "empty" }, yard(), h("p", { class: "say bad", role: "alert" }, said), h("div", { class: "row" }, again))));
  }
}
