// @ts-check
// The keys of others who teach here, for the owner to give out and take back, and what was done with which.
import { call, get, post } from "../api.js";
import { confirmed } from "../dialogs.js";
import { clockTime } from "../format.js";
import { t, tOr } from "../i18n.js";
import { session } from "../session.js";
import { h, scrolling, submitted } from "../view.js";
import { attempt, Panel } from "./said.js";
/** @import { Children } from "../view.js" */

/** @typedef {{name: string, rights: "run" | "read", created: number}} Key */
/** @typedef {{when_ms: number, who: string, act: string, about: Record<string, unknown>}} Act */
/** @typedef {{keys: Key[], acts: Act[], said: Children}} State */

const ACTS = 100;

/** @extends {Panel<State>} */
export class KeysPanel extends Panel {
  /** @type {State} */
  state = { keys: [], acts: [], said: null };

  load() {
    return attempt(this, async () => this.setState({ keys: (await get("/teachers")).teachers, acts: (await get(`/acts?limit=${ACTS}`)).acts }));
  }

  /** @param {Record<string, string>} said @param {HTMLFormElement} form */
  async #add({ teacher, rights }, form) {
    const { name, key } = await post("/teachers", { name: teacher, rights });
    form.teacher.value = "";
    return h("p", { class: "say ok" }, t("key.is", { name }), " ", h("code", null, key));
  }

  /** @param {string} name */
  async #remove(name) {
    if (!(await confirmed(t("key.remove.sure", { name }), t("key.remove")))) return null;
    await call("DELETE", `/teachers/${encodeURIComponent(name)}`);
    return h("p", { class: "say ok" }, t("key.removed", { name }));
  }

  render() {
    const { keys, acts, said } = this.state;
    const owner = session.now.teacher === "";
    const remove = (/** @type {string} */ name) => h("button", { type: "button", class: "plain small", onClick: () => this.act(() => this.#remove(name)) }, t("key.remove"));
    const row = (/** @type {Key} */ { name, rights, created }) => h("li", { key: name }, h("b", null, name), ` · ${t(`key.${rights}`)} · ${clockTime(created)} `, owner ? remove(name) : null);
    const add = submitted((said, form) => this.act(() => this.#add(said, form)));
    return h(
      "section",
      { ref: this.root, class: "card stack", id: "keys" },
      h("h2", null, t("keys")),
      h("p", { class: "quiet small" }, t(owner ? "keys.what" : "keys.owner")),
      h("div", { role: "status" }, said),
      keys.length === 0 ? null : h("ul", { class: "plainlist tight" }, keys.map(row)),
      owner
        ? h(
            "form",
            { class: "row", onSubmit: add },
            h("input", { name: "teacher", "aria-label": t("key.name"), placeholder: t("key.name"), required: true, maxlength: 40 }),
            h("select", { name: "rights", "aria-label": t("key.rights") }, ["read", "run"].map((each) => h("option", { value: each }, t(`key.${each}`)))),
            h("button", null, t("key.add")),
          )
        : null,
      h("details", { class: "acts" }, h("summary", null, t("acts")), acts.length === 0 ? h("p", { class: "quiet" }, t("acts.none")) : scrolling(h("table", { class: "small" }, h("tbody", null, acts.map(told))))),
    );
  }
}

/** @param {Act} act */
function told({ when_ms, who, act, about }) {
  const [what, verb] = act.split(" ");
  const values = Object.values(about).flat().filter((value) => value !== "").join(", ");
  return h("tr", null, h("td", null, clockTime(when_ms)), h("td", null, who), h("td", null, `${tOr(`acts.${what}`, what)}: ${tOr(`did.${verb}`, verb)}`), h("td", { class: "quiet" }, values));
}
