// @ts-check
// The machines of a server that has several: which one referees, which stand by, and handing over.
import { get, post } from "../api.js";
import { confirmed } from "../dialogs.js";
import { t } from "../i18n.js";
import { session } from "../session.js";
import { h, scrolling, table, View } from "../view.js";
import { attempt } from "./said.js";
/** @import { Children } from "../view.js" */

/** @typedef {{name: string, state: string, page: string, version: string, seen_s: number, trouble: string, load: number}} Machine */

const POLL_MS = 3000;

/** Nothing, where there is one machine. @extends {View<{}, {machines: Machine[], said: Children}>} */
export class MachinesPanel extends View {
  /** @type {{machines: Machine[], said: Children}} */
  state = { machines: [], said: null };

  componentDidMount() {
    this.#do(() => get("/nodes"));
  }

  /** Shows what it answers, and looks again later. @param {() => Promise<{nodes: Machine[]}>} what */
  async #do(what) {
    this.cancel();
    await attempt(this, async () => this.setState({ machines: (await what()).nodes, said: null }));
    if (this.state.machines.length > 0) this.later(POLL_MS, () => this.#do(() => get("/nodes")));
  }

  /** @param {"drain" | "resume"} what @param {Machine} machine */
  async #act(what, { name, state }) {
    if (what === "drain" && state === "referee" && !(await confirmed(t("machine.drain.sure", { name }), t("machine.drain")))) return;
    await this.#do(() => post(`/nodes/${encodeURIComponent(name)}/${what}`));
  }

  render() {
    const { machines, said } = this.state;
    if (machines.length === 0) return null;
    const row = (/** @type {Machine} */ one) =>
      h(
        "tr",
        { key: one.name },
        h("td", null, h("a", { href: one.page }, one.name)),
        h("td", null, h("span", { class: `presence ${one.state === "gone" ? "off" : "on"}` }, t(`machine.${one.state}`)), one.trouble === "" ? null : h("p", { class: "small bad" }, one.trouble)),
        h("td", null, `${one.load} %`),
        h("td", { class: "small" }, one.version),
        h("td", null, this.#button(one)),
      );
    const head = ["machine", "now", "load", "version"].map((key) => h("th", null, t(key)));
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "machines" },
      h("h3", null, t("machines")),
      said,
      scrolling(table({}, [head, h("th", null, h("span", { class: "only-read" }, t("actions")))], machines.map(row))),
    );
  }

  /** @param {Machine} one */
  #button(one) {
    if (!session.now.runs || one.state === "gone" || one.state === "draining") return null;
    const what = one.state === "drained" ? "resume" : "drain";
    return h("button", { type: "button", class: "plain small", onClick: () => this.#act(what, one) }, t(one.state === "standby" ? "machine.keep" : `machine.${what}`));
  }
}
