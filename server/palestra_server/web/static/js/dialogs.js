// @ts-check
// Asking before something that cannot be undone, and handing files over and taking them in.
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** @param {string} question @param {string} act @returns {Promise<boolean>} */
export function confirmed(question, act) {
  return asked(question, act, null);
}

/** One of these, none of which is chosen beforehand; "" for none. @param {string} question @param {string} act @param {string[]} options */
export async function chosen(question, act, options) {
  const choice = h("select", { "aria-label": question }, h("option", { value: "" }, t("choose")), options.map((one) => h("option", { value: one }, one)));
  return (await asked(question, act, choice)) ? choice.value : "";
}

/** One of these values, which are shown as their words and none of which is chosen beforehand, and a reason, null if
 * either is missing. @param {string} question @param {string} why @param {string} act @param {[string, string][]} options
 * @returns {Promise<{choice: string, why: string} | null>} */
export async function decided(question, why, act, options) {
  const choice = h("select", { "aria-label": question }, h("option", { value: "" }, t("choose")), options.map(([value, words]) => h("option", { value }, words)));
  const reason = h("input", { "aria-label": why, placeholder: why, maxlength: 500 });
  const said = await asked(question, act, h("span", { class: "stack" }, choice, reason));
  return said && choice.value !== "" && reason.value.trim() !== "" ? { choice: choice.value, why: reason.value.trim() } : null;
}

/** What is written instead of `value`, "" for nothing new. @param {string} question @param {string} act @param {string} value */
export async function rewritten(question, act, value) {
  const field = h("input", { "aria-label": question, value });
  return (await asked(question, act, field)) && field.value.trim() !== value ? field.value.trim() : "";
}

/** @param {string} question @param {string} act @param {HTMLElement | null} field @returns {Promise<boolean>} */
function asked(question, act, field) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-label": question },
      h("p", null, question),
      field && h("p", null, field),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "main", onclick: () => dialog.close("yes") }, act),
        h("button", { type: "button", onclick: () => dialog.close("") }, t("cancel")),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The bytes of a file as the API takes them. @param {File} file @returns {Promise<string>} */
export function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** A table as spreadsheets open it; what they would take for a formula gets an apostrophe. @param {string[][]} rows */
export function csv(rows) {
  const cell = (/** @type {string} */ text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return `\ufeff${rows.map((row) => row.map(cell).join(t("csv.separator"))).join("\r\n")}\r\n`;
}
