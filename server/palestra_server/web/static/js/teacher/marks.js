// @ts-check
// The marks of a tournament or season as a file: a table to read, Moodle's import, or Canvas' own gradebook filled.
import { ApiError, asks, post, seen } from "../api.js";
import { base64, opened, saveFile } from "../dialogs.js";
import { language, remark, t } from "../i18n.js";
import { createRef, h, select, View } from "../view.js";
import { fault } from "./said.js";
/** @import { Children } from "../view.js" */

const SYSTEMS = ["people", "moodle", "canvas"];

/** @typedef {{name: string, title: string, hides: boolean, path: string}} Graded `path`: of the API */

/** Asks for whom they are, and hands the file over. @param {Graded} one */
export const marksDialog = (one) => opened(t("marks.of", { title: one.title }), (close) => h(MarksForm, { one, close }));

/** @extends {View<{one: Graded, close: () => void}, {system: string, file: File | undefined, said: Children}>} */
class MarksForm extends View {
  /** @type {{system: string, file: File | undefined, said: Children}} */
  state = { system: "people", file: undefined, said: null };
  file = createRef();
  column = createRef();

  async #make() {
    const { one } = this.props;
    const { system, file } = this.state;
    try {
      const wanted = { system, language, column: this.column.current.value.trim() || null, into: system === "people" || file === undefined ? null : await base64(file) };
      const { text, filled, notes } = await post(seen(`${one.path}/marks`), wanted);
      saveFile(`${one.name}-${system}.csv`, text, "text/csv");
      const lines = notes.map((/** @type {import("../types.js").Remark} */ each) => h("li", null, remark(each, "marking")));
      this.setState({ said: h("div", { class: "say ok" }, t("marks.made", { n: filled }), lines.length > 0 ? h("ul", null, lines) : null) });
    } catch (error) {
      const [why] = error instanceof ApiError && error.code === "marks" ? error.details : [];
      this.setState({ said: why === undefined ? fault(error) : h("div", { class: "say bad" }, remark(why, "marking")) });
    }
  }

  render() {
    const { one, close } = this.props;
    const { system, file, said } = this.state;
    const chosen = (/** @type {string} */ one) => this.setState({ system: one, said: null });
    const filed = () => this.setState({ file: this.file.current.files[0], said: null });
    return h(
      "div",
      { class: "stack" },
      h("h3", null, t("marks.of", { title: one.title })),
      h("label", null, t("marks.for"), " ", select(system, SYSTEMS.map((each) => [each, t(`marks.for.${each}`)]), chosen, { "aria-label": t("marks.for") })),
      h(
        "div",
        { class: "stack small-stack", hidden: system === "people" },
        h("p", { class: "quiet small" }, system === "people" ? "" : t(`marks.into.${system}`)),
        h("input", { type: "file", accept: ".csv,.xlsx,text/csv", "aria-label": t("marks.into"), ref: this.file, onChange: filed }),
        h("label", null, t("marks.column"), " ", h("input", { name: "column", maxlength: 200, placeholder: one.title || one.name, ref: this.column })),
      ),
      one.hides && !asks.hidden ? h("p", { class: "quiet small" }, t("marks.hides")) : null,
      h("div", { "aria-live": "polite" }, said),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "main", disabled: system === "canvas" && file === undefined, onClick: () => this.#make() }, t("marks.make")),
        h("button", { type: "button", onClick: close }, t("close")),
      ),
    );
  }
}
