// @ts-check
// A new tournament: a form and the file that it writes beside it, each following the other, looked over at every change.
import { get, post } from "../api.js";
import { budget, clockTime, formatTitle } from "../format.js";
import { explained, t } from "../i18n.js";
import { about } from "../session.js";
import { createRef, h, toggled, View } from "../view.js";
import { atFields, formOf, label, sectionsOf } from "./form.js";
import { attempt, fileFault } from "./said.js";
/** @import { About, Fault, Tournament } from "../types.js" */
/** @import { Entry, Section } from "./form.js" */

const PAUSE_MS = 400;

/** @typedef {{format: string, format_title: string, example: string}} Format */
/**
 * The file as the server reads it; `lines`: the first and the last line of each setting.
 * @typedef {{toml: string, values: Record<string, any>, lines: Record<string, [number, number]>, faults: Fault[], remarks: Fault[],
 *   entrants: {name: string, reference: boolean}[], outlook: {matches: number, plies: number, hours: number, until: number} | null}} Read
 */
/**
 * `entry`: what is being typed into, and what stands in it; `latest`: the line that the form wrote last.
 * @typedef {{formats: Format[], games: string[], levels: string[], groups: string[], read: Read | null, said: import("../view.js").Children,
 *   entry: {name: string, raw: string} | null, latest: number}} State
 */

/** Calls `onDone` with the name of one that was made. @extends {View<{onDone: (made: Tournament) => void}, State>} */
export class NewTournament extends View {
  /** @type {State} */
  state = { formats: [], games: [], levels: [], groups: [], read: null, said: null, entry: null, latest: 0 };
  text = createRef();
  gutter = createRef();
  /** Whether what is written is more than an example. */
  touched = false;
  /** What was written before what is being typed now. */
  toml = "";
  /** @type {{toml: string, key: string}[]} the file as it was before each change, and what was changed */
  before = [];
  /** @type {{key: string, value: unknown}[]} that the server has not been asked for */
  changes = [];
  asking = false;

  async #begin() {
    if (this.state.formats.length > 0) return;
    await attempt(this, async () => {
      /** @type {[{formats: Format[]}, About, {players: {group: string}[]}]} */
      const [{ formats }, { games, levels }, { players }] = await Promise.all([get("/formats"), about(), get("/roster")]);
      const groups = [...new Set(players.map(({ group }) => group).filter(Boolean))].sort();
      this.setState({ formats, games: games.map(({ name }) => name), levels, groups });
      // What was written meanwhile stays.
      if (this.text.current.value === "") this.#write(explained(formats[0].example));
      this.#ask();
    });
  }

  /** @param {string} toml */
  #write(toml) {
    const old = this.text.current.value.split("\n");
    this.text.current.value = this.toml = toml;
    const latest = this.touched ? 1 + toml.split("\n").findIndex((line, at) => line !== old[at]) : 0;
    this.setState({ latest }, () => this.#see(latest));
  }

  /** So that it can be taken back; what is done to one setting in a row is one thing. @param {string} key */
  #keep(key) {
    if (this.before.at(-1)?.key !== key) this.before.push({ toml: this.toml, key });
  }

  /** What the server makes of the file and of the changes; it is asked one question at a time. */
  async #ask() {
    if (this.asking) return;
    this.asking = true;
    let toml = "";
    do {
      toml = this.text.current.value;
      const changes = this.changes.splice(0);
      await attempt(this, async () => {
        /** @type {Read} */
        const read = await post("/tournaments/form", { toml, changes });
        if (this.element === null) return;
        // Typed meanwhile: the changes are for what stands there now.
        if (toml !== this.text.current.value) this.changes.unshift(...changes);
        else {
          if (read.toml !== toml) this.#write(read.toml);
          toml = read.toml;
          this.setState({ read, said: null });
        }
      });
    } while (this.changes.length > 0 || toml !== this.text.current?.value);
    this.asking = false;
  }

  /** @param {string} key @param {unknown} value */
  #change(key, value) {
    const { formats, read } = this.state;
    if (key === "format" && !this.touched) {
      this.#write(explained(formats.find(({ format }) => format === value)?.example ?? ""));
    } else {
      this.#keep(key);
      this.touched = true;
      // What only the format before had has no effect now.
      const gone = key !== "format" ? [] : this.#sections()[0].fields.slice(4).filter((field) => read !== null && field.key in read.values);
      this.changes = [...this.changes.filter((one) => one.key !== key), ...gone.map((field) => ({ key: field.key, value: null })), { key, value }];
    }
    this.#ask();
  }

  #undo() {
    const last = this.before.pop();
    if (last === undefined) return;
    this.changes = [];
    this.#write(last.toml);
    this.#ask();
  }

  async #create() {
    this.cancel();
    await attempt(this, async () => {
      const made = await post("/tournaments", { toml: this.text.current.value });
      this.setState({ said: null });
      this.props.onDone(made);
    });
  }

  /** @returns {Section[]} */
  #sections() {
    const { formats, read } = this.state;
    const format = formats.find((one) => one.format === read?.values.format) ?? formats[0];
    return format === undefined ? [] : sectionsOf(format.example);
  }

  /** Scrolls the file to a line. @param {number} line @param {boolean} [select] */
  #see(line, select = false) {
    const area = this.text.current;
    if (area === null || line < 1) return;
    const lines = area.value.split("\n");
    const height = area.scrollHeight / lines.length;
    if (line * height < area.scrollTop || line * height > area.scrollTop + area.clientHeight) area.scrollTop = (line - 4) * height;
    if (!select) return;
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + lines[line - 1].length);
  }

  render() {
    const { read, said } = this.state;
    const last = this.before.at(-1);
    return h(
      "details",
      { ref: this.root, class: "new-tournament", onToggle: toggled((open) => open && this.#begin()) },
      h("summary", null, t("tournament.new")),
      h(
        "div",
        { class: "form-and-file" },
        h("div", { class: "form" }, read && this.#form(read)),
        h(
          "div",
          { class: "stack small-stack" },
          this.#file(),
          h("div", { "aria-live": "polite" }, said, read && outcome(read, (line) => this.#see(line, true))),
          h(
            "div",
            { class: "row" },
            h("button", { type: "button", class: "main", onClick: () => this.#create() }, t("tournament.create")),
            last && h("button", { type: "button", class: "undo", onClick: () => this.#undo() }, t("undo.what", { what: label(last.key) })),
          ),
        ),
      ),
    );
  }

  /** @param {Read} read */
  #form({ values, lines, faults, remarks }) {
    const { formats, games, levels, groups, entry } = this.state;
    const sections = this.#sections();
    /** @param {Entry} one */
    const typed = ({ name, shown, write }) => ({
      value: entry?.name === name ? entry.raw : shown,
      onInput: (/** @type {Event} */ { currentTarget }) => {
        const raw = /** @type {HTMLInputElement} */ (currentTarget).value;
        this.setState({ entry: { name, raw } });
        write(raw);
      },
      onBlur: () => this.setState({ entry: null }),
    });
    const look = (/** @type {string} */ key) => this.#see(lines[key]?.[0] ?? this.#shownAt(key), true);
    return formOf(sections, { values, faults: atFields([...faults, ...remarks], lines, sections), formats: formats.map((one) => [one.format, formatTitle(one)]), games, levels, groups, typed, look, change: (key, value) => this.#change(key, value) });
  }

  /** The line of the example that shows how to set it, 0 if there is none. @param {string} key */
  #shownAt(key) {
    const name = key.split(".").at(-1);
    return 1 + this.text.current.value.split("\n").findIndex((/** @type {string} */ line) => line.startsWith(`# ${name} = `));
  }

  #file() {
    const { read, latest } = this.state;
    const wrong = new Set(read?.faults.map(({ line }) => line));
    const count = (this.text.current?.value ?? "").split("\n").length;
    const typed = () => {
      this.#keep("file");
      this.toml = this.text.current.value;
      this.touched = true;
      this.setState({ latest: 0 });
      this.later(PAUSE_MS, () => this.#ask());
    };
    const scrolled = () => {
      this.gutter.current.scrollTop = this.text.current.scrollTop;
    };
    return h(
      "div",
      { class: "file" },
      h("pre", { class: "gutter", "aria-hidden": "true", ref: this.gutter }, Array.from({ length: count }, (_, at) => h("span", { class: wrong.has(at + 1) ? "bad" : at + 1 === latest ? "latest" : null }, `${at + 1}\n`))),
      h("textarea", { name: "toml", rows: 20, wrap: "off", spellcheck: false, "aria-label": t("tournament.file"), ref: this.text, onInput: typed, onScroll: scrolled }),
    );
  }
}

/** What is wrong with a file, each fault leading to its line; or else who is in it, and how long it takes. @param {Read} read @param {(line: number) => void} look */
function outcome({ faults, remarks, entrants, outlook }, look) {
  const list = (/** @type {Fault[]} */ all) => h("ul", null, all.map((one) => h("li", null, one.line === undefined ? fileFault(one) : h("button", { type: "button", class: "plain fault", onClick: () => look(one.line ?? 1) }, fileFault(one)))));
  if (faults.length > 0) return h("div", { class: "say bad" }, t("form.faults", { n: faults.length }), list(faults));
  const who = entrants.map(({ name }) => name).join(", ");
  return [
    h("div", { class: "say ok" }, t("tournament.fine"), h("div", { class: "small quiet" }, t("players.n", { n: entrants.length }), who === "" ? "" : `: ${who}`), outlook && h("div", { class: "small quiet" }, t("tournament.outlook", { ...outlook, hours: budget(3_600_000 * outlook.hours), until: clockTime(outlook.until) }))),
    remarks.length > 0 ? h("div", { class: "say" }, list(remarks)) : null,
  ];
}
