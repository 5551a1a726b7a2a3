// @ts-check
// In place of a page whose script does not come, since the server is not there.
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { yard } from "./empty.js";

/** Loads the document anew when the server answers again, by itself or when asked. */
class Unreached extends HTMLElement {
  constructor() {
    super();
    this.stop = () => {};
  }

  connectedCallback() {
    const again = h("button", { type: "button", class: "main" }, t("fault.again"));
    again.addEventListener("click", async () => {
      again.disabled = true;
      await fetch("/healthz").then(() => location.reload(), () => {});
      again.disabled = false;
    });
    const said = h("p", { class: "say bad", role: "alert" }, t("fault.unreachable"));
    this.append(h("div", { class: "card" }, h("div", { class: "empty" }, yard(), said, h("div", { class: "row" }, again))));
    this.stop = line.watch("lobby", () => location.reload());
  }

  disconnectedCallback() {
    this.stop();
  }
}

customElements.define("pal-unreached", Unreached);

export const unreached = () => new Unreached();
