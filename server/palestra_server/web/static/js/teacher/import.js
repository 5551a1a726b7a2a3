// @ts-check
// Taking in a class list: choose or paste it, see what would change and what is wrong, then take it in.
import { post } from "../api.js";
import { base64 } from "../dialogs.js";
import { remark, t } from "../i18n.js";
import { createRef, h, View } from "../view.js";
import { fault, listFault } from "./said.js";
/** @import { Fault, Remark } from "../types.js" */
/** @import { Children } from "../view.js" */

const SHOWN = 30; // names of a kind
const PAUSE_MS = 250;
const PLACEHOLDER = "name;email;group\nAna García;ana@school.edu;A";

/** Calls `onDone` when a list was imported. @extends {View<{onDone: () => void}, {preview: Children, ready: boolean}>} */
export class ImportForm extends View {
  /** @type {{preview: Children, ready: boolean}} */
  state = { preview: null, ready: false };
  text = createRef();
  file = createRef();
  asked = 0;

  /** @param {File} [chosen] whose text the server reads, whatever it is written in */
  async #look(chosen) {
    this.cancel();
    const mine = ++this.asked;
    const text = this.text.current;
    if (chosen === undefined && text.value.trim() === "") {
      this.setState({ preview: null, ready: false });
      return;
    }
    try {
      const list = chosen === undefined ? { text: text.value } : { file: await base64(chosen) };
      const answer = await post("/roster/import", { ...list, apply: false });
      if (mine !== this.asked) return;
      if (chosen !== undefined) text.value = answer.text;
      this.setState({ preview: report(answer), ready: answer.problems.length === 0 && answer.added.length + answer.changed.length > 0 });
    } catch (error) {
      if (mine === this.asked) this.setState({ preview: fault(error), ready: false });
    }
  }

  async #apply() {
    // What was being looked up would replace what the import says.
    this.cancel();
    ++this.asked;
    try {
      const answer = await post("/roster/import", { text: this.text.current.value, apply: true });
      this.text.current.value = "";
      this.file.current.value = "";
      const missed = answer.missed.map((/** @type {Remark} */ one) => h("span", { class: "small below" }, h("br", null), remark(one)));
      this.setState({ preview: h("p", { class: "say ok" }, t("import.done", { n: answer.added.length, changed: answer.changed.length }), missed), ready: false });
      this.props.onDone();
    } catch (error) {
      this.setState({ preview: fault(error) });
    }
  }

  render() {
    const { preview, ready } = this.state;
    const typed = () => this.later(PAUSE_MS, () => this.#look());
    const chosen = () => {
      const [file] = this.file.current.files;
      if (file !== undefined) this.#look(file);
    };
    return h(
      "details",
      { class: "import" },
      h("summary", null, t("import.title")),
      h(
        "div",
        { class: "stack small-stack" },
        h("p", { class: "quiet small" }, t("import.what")),
        h("input", { type: "file", accept: ".csv,.txt,.tsv,.xls,.xlsx,text/csv,text/plain", "aria-label": t("import.file"), ref: this.file, onChange: chosen }),
        h("label", null, t("import.text"), h("textarea", { name: "roster", rows: 6, spellcheck: false, placeholder: PLACEHOLDER, ref: this.text, onInput: typed })),
        h("div", { "aria-live": "polite" }, preview),
        h("div", null, h("button", { type: "button", class: "main", disabled: !ready, onClick: () => this.#apply() }, t("import.apply"))),
      ),
    );
  }
}

/**
 * @param {{added: string[], changed: string[], unchanged: string[], renamed: {name: string, listed: string}[], gone: string[], problems: Fault[], remarks: Fault[]}} answer
 */
function report({ added, changed, unchanged, renamed, gone, problems, remarks }) {
  const list = (/** @type {Fault[]} */ faults) => h("ul", null, faults.map((one) => h("li", null, listFault(one))));
  if (problems.length > 0) return h("div", { class: "say bad" }, t("import.problems", { n: problems.length }), list(problems));
  /** @type {[string, string[]][]} */
  const kinds = [
    ["added", added],
    ["changed", changed],
    ["renamed", renamed.map(({ name, listed }) => `${name} (${listed})`)],
    ["gone", gone],
  ];
  const shown = kinds.filter(([, names]) => names.length > 0);
  const some = (/** @type {string[]} */ names) => names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? " …" : "");
  const line = (/** @type {string} */ kind, /** @type {string[]} */ names) => h("div", { class: "small" }, `${t(`import.${kind}`, { n: names.length })} `, h("span", { class: "quiet" }, some(names)));
  return h(
    "div",
    { class: "say" },
    t("import.counts", { n: added.length, changed: changed.length, unchanged: unchanged.length }),
    shown.map(([kind, names]) => line(kind, names)),
    remarks.length > 0 ? [h("div", { class: "small" }, t("import.doubtful")), list(remarks)] : null,
  );
}
