// @ts-check
// In place of a page whose script did not load: the server is unreachable, or something blocks it.
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { yard } from "./empty.js";

/** Loads the document anew when the server answers again after it was gone, by itself or when asked. */
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
    const said = h("p", { class: "say bad", role: "alert" });
    // Only what is new is written: a screen reader says an alert again each time.
    const tell = () => {
      const text = t(line.reached ? "fault.part" : "fault.unreachable");
      if (said.textContent !== text) said.textContent = text;
    };
    tell();
    this.append(h("div", { class: "card" }, h("div", { class: "empty" }, yard(), said, h("div", { class: "row" }, again))));
    // While the connection is up, the same script would be missing again and again.
    const changed = () => (line.reached ? location.reload() : tell());
    line.addEventListener("state", changed);
    const stop = line.watch("lobby", tell);
    this.stop = () => {
      line.removeEventListener("state", changed);
      stop();
    };
  }

  disconnectedCallback() {
    this.stop();
  }
}

customElements.define("pal-unreached", Unreached);

export const unreached = () => new Unreached();
