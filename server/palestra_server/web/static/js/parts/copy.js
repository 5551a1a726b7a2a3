// @ts-check
// What is copied from the page: links, and commands.
import { t } from "../i18n.js";
import { h, View } from "../view.js";

const SAID_MS = 1600;

/** A button that copies a text and says so. @extends {View<{text: string, label?: string}, {done: boolean}>} */
export class CopyButton extends View {
  state = { done: false };

  async #copy() {
    await copy(this.props.text);
    this.setState({ done: true });
    this.later(SAID_MS, () => this.setState({ done: false }));
  }

  render() {
    return h("button", { type: "button", class: "copy", onClick: () => this.#copy() }, this.state.done ? t("copied") : (this.props.label ?? t("copy")));
  }
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https there is no clipboard: select the text through a field of our own.
    const field = document.createElement("textarea");
    field.className = "only-read";
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** A command whose words, and options with their values, are not cut in two where the line ends. @param {string} text */
export const command = (text) => text.split(/(--\S* (?!--)\S+|\s+)/).map((word) => (/\S/.test(word) ? h("span", { class: "word" }, word) : word));

/** @param {string} text a command */
export const copyable = (text) => h("div", { class: "copyable" }, h("pre", { tabindex: 0 }, command(text)), h(CopyButton, { text }));
