// @ts-check
// The marks of a tournament as a file: a table to read, Moodle's import, or Canvas' own gradebook filled.
import { ApiError, asks, post, seen } from "../api.js";
import { base64, saveFile } from "../dialogs.js";
import { fill, h } from "../dom.js";
import { language, remark, t } from "../i18n.js";
import { fault } from "./import.js";

const SYSTEMS = ["people", "moodle", "canvas"];

/** Asks for whom they are, and hands the file over. @param {{name: string, title: string, hides: boolean}} one */
export function marksDialog(one) {
  const system = h("select", { "aria-label": t("marks.for") }, SYSTEMS.map((each) => h("option", { value: each }, t(`marks.for.${each}`))));
  const file = h("input", { type: "file", accept: ".csv,.xlsx,text/csv", "aria-label": t("marks.into") });
  const about = h("p", { class: "quiet small" });
  const into = h("div", { class: "stack small-stack" }, about, file);
  const say = h("div", { "aria-live": "polite" });
  const make = h("button", { type: "button", class: "main" }, t("marks.make"));
  const show = () => {
    into.hidden = system.value === "people";
    about.textContent = t(`marks.into.${system.value}`);
    make.disabled = system.value === "canvas" && file.files?.length === 0;
    fill(say);
  };
  system.addEventListener("change", show);
  file.addEventListener("change", show);
  make.addEventListener("click", async () => {
    const chosen = system.value === "people" ? undefined : file.files?.[0];
    try {
      const wanted = { system: system.value, language, into: chosen === undefined ? null : await base64(chosen) };
      const { text, filled, notes } = await post(seen(`/tournaments/${encodeURIComponent(one.name)}/marks`), wanted);
      saveFile(`${one.name}-${system.value}.csv`, text, "text/csv");
      const lines = notes.map((/** @type {any} */ each) => h("li", null, remark(each, "marking")));
      fill(say, h("div", { class: "say ok" }, t("marks.made", { n: filled }), lines.length > 0 ? h("ul", null, lines) : null));
    } catch (error) {
      const [why] = error instanceof ApiError && error.code === "marks" ? error.details : [];
      fill(say, why === undefined ? fault(error) : h("div", { class: "say bad" }, remark(why, "marking")));
    }
  });
  const close = h("button", { type: "button", onclick: () => dialog.close() }, t("close"));
  const title = t("marks.of", { title: one.title || one.name });
  const dialog = h("dialog", { "aria-label": title }, h("div", { class: "stack" }, h("h3", null, title), h("label", null, t("marks.for"), " ", system), into, one.hides && !asks.hidden ? h("p", { class: "quiet small" }, t("marks.hides")) : null, say, h("div", { class: "row" }, make, close)));
  dialog.addEventListener("close", () => dialog.remove());
  show();
  document.body.append(dialog);
  dialog.showModal();
}
