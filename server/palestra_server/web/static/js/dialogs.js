// @ts-check
// Asking before something that cannot be undone, and handing files over and taking them in.
import { t } from "./i18n.js";
import { h, render, submitted } from "./view.js";
/** @import { Children, VNode } from "./view.js" */

/**
 * Opens a dialog around what `inside` gives; what is in it may close it. Resolves with the value that it was closed with.
 * @param {string} title @param {(close: (value?: string) => void) => Children} inside
 * @returns {Promise<string>}
 */
export function opened(title, inside) {
  return new Promise((resolve) => {
    const host = document.createElement("div");
    document.body.append(host);
    const dialog = () => /** @type {HTMLDialogElement} */ (host.firstElementChild);
    const closed = () => {
      resolve(dialog().returnValue);
      render(null, host);
      host.remove();
    };
    render(h("dialog", { "aria-label": title, onClose: closed }, inside((value) => dialog().close(value))), host);
    dialog().showModal();
  });
}

/** @param {string} question @param {string} act @returns {Promise<boolean>} */
export async function confirmed(question, act) {
  return (await asked(question, act, null)) !== null;
}

/** One of these, none of which is chosen beforehand; "" for none. @param {string} question @param {string} act @param {string[]} options */
export async function chosen(question, act, options) {
  const said = await asked(question, act, choice(question, options.map((one) => [one, one])));
  return said?.choice ?? "";
}

/**
 * One of these values, which are shown as their words and none of which is chosen beforehand, and a reason; or null.
 * @param {string} question @param {string} why @param {string} act @param {[string, string][]} options
 */
export async function decided(question, why, act, options) {
  const reason = h("input", { name: "why", "aria-label": why, placeholder: why, maxlength: 500, required: true });
  const said = await asked(question, act, h("span", { class: "stack" }, choice(question, options), reason));
  return said && { choice: said.choice, why: said.why };
}

/** Whether what may be ticked was; null if it is not to be done. @param {string} question @param {string} act @param {VNode} about @param {string} words */
export async function ticked(question, act, about, words) {
  const said = await asked(question, act, h("span", { class: "stack" }, about, h("label", { class: "row" }, h("input", { type: "checkbox", name: "tick" }), words)));
  return said === null ? null : "tick" in said;
}

/** What is written instead of `value`, "" for nothing new. @param {string} question @param {string} act @param {string} value */
export async function rewritten(question, act, value) {
  const said = await asked(question, act, h("input", { name: "text", "aria-label": question, defaultValue: value }));
  return said === null || said.text === value ? "" : said.text;
}

/** @param {string} question @param {[string, string][]} options values and their words */
const choice = (question, options) => h("select", { name: "choice", "aria-label": question, required: true }, h("option", { value: "" }, t("choose")), options.map(([value, words]) => h("option", { value }, words)));

/** The fields' values by their names, or null. @param {string} question @param {string} act @param {VNode | null} field @returns {Promise<Record<string, string> | null>} */
async function asked(question, act, field) {
  /** @type {Record<string, string> | null} */
  let said = null;
  await opened(question, (close) => {
    const done = submitted((values) => {
      said = values;
      close();
    });
    return h(
      "form",
      { onSubmit: done },
      h("p", null, question),
      field && h("p", null, field),
      h("div", { class: "row" }, h("button", { class: "main" }, act), h("button", { type: "button", onClick: () => close() }, t("cancel"))),
    );
  });
  return said;
}

/** @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
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
