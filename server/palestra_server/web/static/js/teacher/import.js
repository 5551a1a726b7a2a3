// @ts-check
// Taking in a class list: choose or paste it, see what would change and what is wrong, then take it in.
import { ApiError, post } from "../api.js";
import { base64 } from "../dialogs.js";
import { fill, h } from "../dom.js";
import { remark, t, tOr } from "../i18n.js";

const SHOWN = 30; // names of a kind

/** @param {() => void} done called when a list was imported */
export function importForm(done) {
  const text = h("textarea", { name: "roster", rows: 6, spellcheck: "false", placeholder: "name;email;group\nAna García;ana@school.edu;A" });
  const file = h("input", { type: "file", accept: ".csv,.txt,.tsv,.xls,.xlsx,text/csv,text/plain", "aria-label": t("import.file") });
  const preview = h("div", { "aria-live": "polite" });
  const apply = h("button", { type: "button", class: "main", disabled: true }, t("import.apply"));
  let asked = 0;
  let timer = 0;

  /** @param {File} [chosen] whose text the server reads, whatever it is written in */
  const look = async (chosen) => {
    const mine = ++asked;
    if (chosen === undefined && text.value.trim() === "") {
      fill(preview);
      apply.disabled = true;
      return;
    }
    try {
      const list = chosen === undefined ? { text: text.value } : { file: await base64(chosen) };
      const answer = await post("/roster/import", { ...list, apply: false });
      if (mine !== asked) return;
      if (chosen !== undefined) text.value = answer.text;
      fill(preview, report(answer));
      apply.disabled = answer.problems.length > 0 || size(answer.added) + size(answer.changed) === 0;
    } catch (error) {
      if (mine === asked) fill(preview, fault(error));
      apply.disabled = true;
    }
  };
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(), 250);
  });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen === undefined) return;
    clearTimeout(timer);
    await look(chosen);
  });
  apply.addEventListener("click", async () => {
    // What was being looked up would replace what the import says.
    clearTimeout(timer);
    ++asked;
    try {
      const answer = await post("/roster/import", { text: text.value, apply: true });
      text.value = "";
      file.value = "";
      apply.disabled = true;
      fill(preview, h("p", { class: "say ok" }, t("import.done", { n: size(answer.added), changed: size(answer.changed) }), answer.missed.map((/** @type {any} */ one) => h("span", { class: "small below" }, h("br"), remark(one)))));
      done();
    } catch (error) {
      fill(preview, fault(error));
    }
  });
  return h(
    "details",
    { class: "import" },
    h("summary", null, t("import.title")),
    h("div", { class: "stack small-stack" }, h("p", { class: "quiet small" }, t("import.what")), file, h("label", null, t("import.text"), text), preview, h("div", null, apply)),
  );
}

/** @param {unknown} what a list or a number */
const size = (what) => (Array.isArray(what) ? what.length : Number(what ?? 0));

/** @typedef {{line: number, message: string, code: string, values: Record<string, string | number>}} Fault */

/** @param {any} answer */
function report({ added, changed, unchanged, renamed, gone, problems, remarks }) {
  const list = (/** @type {Fault[]} */ faults) => h("ul", null, faults.map((one) => h("li", null, said(one))));
  if (problems.length > 0) return h("div", { class: "say bad" }, t("import.problems", { n: problems.length }), list(problems));
  /** @type {[string, string[]][]} */
  const kinds = [
    ["added", added],
    ["changed", changed],
    ["renamed", renamed.map((/** @type {any} */ { name, listed }) => `${name} (${listed})`)],
    ["gone", gone],
  ];
  const shown = kinds.filter(([, names]) => names.length > 0);
  const some = (/** @type {string[]} */ names) => names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? " …" : "");
  const line = (/** @type {string} */ kind, /** @type {string[]} */ names) => h("div", { class: "small" }, `${t(`import.${kind}`, { n: names.length })} `, h("span", { class: "quiet" }, some(names)));
  return h(
    "div",
    { class: "say" },
    t("import.counts", { n: size(added), changed: size(changed), unchanged: size(unchanged) }),
    shown.map(([kind, names]) => line(kind, names)),
    remarks.length > 0 ? [h("div", { class: "small" }, t("import.doubtful")), list(remarks)] : null,
  );
}

/** What is wrong with a line, in the reader's language where its code is known. @param {Fault} fault */
function said({ line, message, code, values }) {
  return `${t("import.line", { line })} ${tOr(`list.${code}`, "") === "" ? message : t(`list.${code}`, values)}`;
}

/** A fault of a tournament file. @param {any} fault */
export function fileFault({ line, column, message, code, values }) {
  const sentence = tOr(`file.${code}`, "") === "" ? message : t(`file.${code}`, values);
  return line === undefined ? sentence : `${t(column === undefined ? "import.line" : "import.place", { line, column })} ${sentence}`;
}

/** @param {unknown} error */
export function fault(error) {
  const details = error instanceof ApiError ? error.details : [];
  const lines = details.map(error instanceof ApiError && error.code === "bad_tournament" ? fileFault : (one) => (one.code ? said(one) : (one.message ?? JSON.stringify(one))));
  return h("div", { class: "say bad" }, /** @type {Error} */ (error).message || t("fault.unreachable"), lines.length > 0 ? h("ul", null, lines.map((one) => h("li", null, one))) : null);
}
