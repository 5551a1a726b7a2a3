// @ts-check
// What the teacher is told: what was done, with the way back where there is one, and what is wrong.
import { ApiError } from "../api.js";
import { remark, t } from "../i18n.js";
import { h, View } from "../view.js";
/** @import { Fault } from "../types.js" */
/** @import { Children } from "../view.js" */

/** What is wrong with a line, in the reader's language where its code is known. @param {Fault} fault */
export const listFault = ({ line, ...said }) => `${t("import.line", { line: line ?? "" })} ${remark(said, "list")}`;

/** A fault of a tournament file. @param {Fault} fault */
export function fileFault({ line, column, ...said }) {
  return line === undefined ? remark(said, "file") : `${t(column === undefined ? "import.line" : "import.place", { line, column: column ?? "" })} ${remark(said, "file")}`;
}

/** Does something; what goes wrong is said. @template T @param {View<any, any>} view whose state says it @param {() => Promise<T>} what */
export const attempt = (view, what) => what().catch((error) => view.setState({ said: fault(error) }));

/** A part of the desk, and what was done there last. @template {{said: Children}} S its state @extends {View<{}, S>} */
export class Panel extends View {
  componentDidMount() {
    this.load();
  }

  /** Shows what there is by now. */
  async load() {}

  /** Does it, shows what it says (nothing if it was not done), and what there is by then. @param {() => Promise<Children>} what */
  async act(what) {
    await attempt(this, async () => {
      const said = await what();
      if (said !== null) this.setState(/** @type {any} */ ({ said }));
    });
    await this.load();
  }

  /** What was done, and how to take it back if it can be. @param {Children} words @param {(() => Promise<unknown>) | null} [undo] */
  did(words, undo = null) {
    const back = async () => {
      await undo?.();
      return this.did(t("undone"));
    };
    return h("p", { class: "say ok row apart" }, h("span", null, words), undo && h("button", { type: "button", class: "undo", onClick: () => this.act(back) }, t("undo")));
  }
}

/** @param {unknown} error */
export function fault(error) {
  const details = error instanceof ApiError ? error.details : [];
  const lines = details.map(error instanceof ApiError && error.code === "bad_tournament" ? fileFault : (one) => (one.code ? listFault(one) : (one.message ?? JSON.stringify(one))));
  return h("div", { class: "say bad" }, /** @type {Error} */ (error).message, lines.length > 0 ? h("ul", null, lines.map((one) => h("li", null, one))) : null);
}
