// @ts-check
// A new tournament from a file that is written here, looked over as it is written.
import { get, post } from "../api.js";
import { confirmed } from "../dialogs.js";
import { clockTime, formatTitle, number } from "../format.js";
import { explained, t } from "../i18n.js";
import { createRef, h, View } from "../view.js";
import { fault, fileFault } from "./import.js";

const PAUSE_MS = 500;

/** @typedef {{format: string, format_title: string, example: string}} Format */
/** @typedef {{formats: Format[], format: string, answer: import("../view.js").Children}} State */

/** Calls `onDone` when one was made. @extends {View<{onDone: () => void}, State>} */
export class NewTournament extends View {
  /** @type {State} */
  state = { formats: [], format: "", answer: null };
  text = createRef();
  /** Whether what is written is more than an example. */
  touched = false;
  asked = 0;
  timer = 0;

  componentDidMount() {
    this.until(() => clearTimeout(this.timer));
  }

  async #begin() {
    if (this.state.formats.length > 0) return;
    try {
      /** @type {{formats: Format[]}} */
      const { formats } = await get("/formats");
      this.setState({ formats, format: formats[0].format });
      // What was written meanwhile stays.
      if (this.text.current.value === "") this.#write(formats[0]);
    } catch (error) {
      this.setState({ answer: fault(error) });
    }
  }

  /** @param {Format | undefined} format */
  #write(format) {
    ++this.asked;
    this.text.current.value = explained(format?.example ?? "");
    this.touched = false;
    this.setState({ answer: null });
  }

  /** @param {string} chosen */
  async #choose(chosen) {
    this.setState({ format: chosen });
    if (!this.touched || (await confirmed(t("tournament.example.sure"), t("tournament.example")))) this.#write(this.state.formats.find(({ format }) => format === chosen));
  }

  async #check() {
    const mine = ++this.asked;
    /** @type {import("../view.js").Children} */
    const answer = await post("/tournaments/check", { toml: this.text.current.value }).then(fine, fault);
    if (mine === this.asked) this.setState({ answer });
  }

  async #create() {
    clearTimeout(this.timer);
    ++this.asked;
    try {
      await post("/tournaments", { toml: this.text.current.value });
      this.setState({ answer: h("p", { class: "say ok" }, t("tournament.created")) });
      this.props.onDone();
    } catch (error) {
      this.setState({ answer: fault(error) });
    }
  }

  render() {
    const { formats, format, answer } = this.state;
    const typed = () => {
      this.touched = true;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#check(), PAUSE_MS);
    };
    const opened = (/** @type {Event} */ { currentTarget }) => /** @type {HTMLDetailsElement} */ (currentTarget).open && this.#begin();
    const chosen = (/** @type {Event} */ { currentTarget }) => this.#choose(/** @type {HTMLSelectElement} */ (currentTarget).value);
    return h(
      "details",
      { class: "new-tournament", onToggle: opened },
      h("summary", null, t("tournament.new")),
      h(
        "div",
        { class: "stack small-stack" },
        h("label", null, t("tournament.format"), h("select", { name: "format", value: format, onChange: chosen }, formats.map((one) => h("option", { value: one.format }, formatTitle(one))))),
        h("textarea", { name: "toml", rows: 18, spellcheck: false, "aria-label": t("tournament.file"), ref: this.text, onInput: typed }),
        h("div", { "aria-live": "polite" }, answer),
        h("div", { class: "row" }, h("button", { type: "button", onClick: () => this.#check() }, t("tournament.check")), h("button", { type: "button", class: "main", onClick: () => this.#create() }, t("tournament.create"))),
      ),
    );
  }
}

/** What a file that can be played says. @param {{entrants: {name: string}[], remarks: import("../types.js").Fault[], outlook: {matches: number, plies: number, hours: number, until: number} | null}} checked */
function fine({ entrants, remarks, outlook }) {
  const who = entrants.map(({ name }) => name).join(", ");
  return [
    h("div", { class: "say ok" }, t("tournament.fine"), h("div", { class: "small quiet" }, t("players.n", { n: entrants.length }), who === "" ? "" : `: ${who}`), outlook && h("div", { class: "small quiet" }, t("tournament.outlook", { ...outlook, hours: number(outlook.hours, 1), until: clockTime(outlook.until) }))),
    remarks.length > 0 ? h("div", { class: "say" }, h("ul", null, remarks.map((one) => h("li", null, fileFault(one))))) : null,
  ];
}
