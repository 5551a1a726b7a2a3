// @ts-check
// The form of a tournament, made from the commented example of its format: it has every key that a file may have.
import { gameName } from "../format.js";
import { explained, remark, t, tOr } from "../i18n.js";
import { h, select } from "../view.js";
/** @import { Fault } from "../types.js" */
/** @import { Children } from "../view.js" */

/** @typedef {{key: string, shown: string, hint: string}} Field `shown`: the value in the example, as it is written there */
/** @typedef {{title: string, fields: Field[]}} Section */
/** @typedef {{name: string, shown: any, write: (raw: string) => void}} Entry what is typed into, and what it shows */
/**
 * What there is to choose from, and how the file is changed; `typed` gives what an entry needs.
 * @typedef {{values: Record<string, any>, faults: Record<string, Fault[]>, formats: [string, string][], games: string[], levels: string[], groups: string[],
 *   change: (key: string, value: unknown) => void, typed: (entry: Entry) => object, look: (key: string) => void}} Form
 */

/** @type {Record<string, string[]>} */
const CHOICES = { seeding: ["draw", "roster"], after_warm_up: ["wait", "start"], absent: ["lose", "wait"], embargo: ["none", "last-round"], "clock.away": ["bank", "clock"] };
/** What a new rule begins with. @type {Record<string, Record<string, string | number>>} */
const RULES = { "grades.beats": { level: "level1", points: 1, game: "" }, "grades.rating": { at_least: 200, points: 1 }, "grades.top": { places: 3, points: 1 } };
const SHARES = ["grades.reliability", "grades.participation"];
/** Where nothing is written the server chooses, or finds out. */
const OPEN = ["rounds", "seed"];

/** @param {string} example @returns {Section[]} */
export function sectionsOf(example) {
  /** @type {Section[]} */
  const sections = [{ title: "", fields: [] }];
  let table = "";
  let about = "";
  for (const line of explained(example).split("\n")) {
    const heading = /^\[(\w+)\]/.exec(line);
    const setting = /^(?:# )?(\w+) = (.*?)(?:\s+# (.*))?$/.exec(line);
    if (heading !== null) {
      table = `${heading[1]}.`;
      sections.push({ title: t(`form.${heading[1]}`), fields: [] });
    } else if (setting !== null) {
      const [, key, shown, hint = key === "format" ? about : ""] = setting;
      if (about !== "" && key !== "name" && key !== "format") sections.push({ title: about.replace(/[.:]$/, ""), fields: [] });
      about = "";
      sections[sections.length - 1].fields.push({ key: table + key, shown, hint });
    } else if (line.startsWith("# ")) about = line.slice(2);
    else if (/^ +# /.test(line)) Object.assign(sections[sections.length - 1].fields.at(-1) ?? {}, { hint: line.trim().slice(2) });
  }
  return sections;
}

/** @param {string} key */
export const label = (key) => tOr(`form.${key}`, key);

/** The value of a key such as "clock.move_ms". @param {Record<string, any>} values @param {string} key */
const valueOf = (values, key) => key.split(".").reduce((/** @type {any} */ table, part) => table?.[part], values);

/** The faults by the field that they belong to. @param {Fault[]} faults @param {Record<string, [number, number]>} lines @param {Section[]} sections */
export function atFields(faults, lines, sections) {
  const keys = sections.flatMap(({ fields }) => fields.map(({ key }) => key));
  /** @type {Record<string, Fault[]>} */
  const found = {};
  for (const fault of faults) {
    const { line = 0, values } = fault;
    const there = Object.keys(lines).filter((key) => lines[key][0] <= line && line <= lines[key][1]);
    const named = [...there, String(values.key ?? "")];
    const key = keys.find((each) => named.some((name) => name === each || name.startsWith(`${each}.`))) ?? keys.find((each) => each.endsWith(`.${values.key}`));
    if (key !== undefined) found[key] = [...(found[key] ?? []), fault];
  }
  return found;
}

/** @param {Section[]} sections @param {Form} form */
export function formOf(sections, form) {
  return sections.map(({ title, fields }) => {
    const inside = h("div", { class: "form-fields" }, fields.map((field) => fieldOf(field, form)));
    if (title === "") return h("div", { key: title }, inside);
    const faulty = fields.some(({ key }) => key in form.faults);
    const set = fields.filter(({ key }) => valueOf(form.values, key) !== undefined).length;
    const count = faulty ? h("b", { class: "bad" }, "!") : set > 0 ? h("span", { class: "quiet small" }, t("form.set", { n: set })) : null;
    return h("details", { key: title }, h("summary", null, title, " ", count), inside);
  });
}

/** @param {Field} field @param {Form} form */
function fieldOf(field, form) {
  const { key, hint } = field;
  const faults = form.faults[key] ?? [];
  const input = control(field, form);
  const look = h("button", { type: "button", class: "key", title: t("form.look"), onClick: () => form.look(key) }, key);
  const several = key in RULES || ["games", "reference", "who"].includes(key);
  return h(
    several ? "fieldset" : "div",
    { key, class: `form-field ${several ? "several" : ""} ${faults.length > 0 ? "faulty" : ""}`, "data-field": key },
    several ? [h("legend", null, label(key), " ", look), input] : [h("div", { class: "form-head" }, h("label", { for: `form-${key}` }, label(key)), look), input],
    hint === "" || key === "who" || key === "games" ? null : h("span", { class: "quiet small" }, hint.replace(/^true: /, "")),
    faults.map((fault) => h("span", { class: "bad small", role: "alert" }, remark(fault, "file"))),
  );
}

/** @param {Field} field @param {Form} form @returns {Children} */
function control(field, form) {
  const { key, shown } = field;
  const { change, typed, values } = form;
  const value = valueOf(values, key);
  const write = (/** @type {unknown} */ now) => change(key, now);
  const id = `form-${key}`;
  const text = (/** @type {string} */ written, /** @type {(raw: string) => void} */ write, more = {}) => h("input", { id, ...typed({ name: key, shown: written, write }), ...more });
  const number = (/** @type {unknown} */ written, /** @type {(raw: number | null) => void} */ write, more = {}) => text(/** @type {any} */ (written ?? ""), (raw) => write(raw === "" ? null : Number(raw)), { type: "number", step: "any", ...more });
  if (key === "format") return select(value ?? "", form.formats, write, { id, name: key });
  if (key in CHOICES) return select(value ?? JSON.parse(shown), CHOICES[key].map((each) => [each, t(`form.${key}.${each}`)]), write, { id, name: key });
  if (key === "games") return boxes(form.games.map((game) => [game, gameName(game)]), value, write);
  if (key === "reference") return boxes(form.levels.map((level) => [level, level]), value, (chosen) => change(key, chosen.length > 0 ? chosen : null));
  if (key === "who") return who(form, value);
  if (key === "start") return text(local(value), (raw) => change(key, raw === "" ? null : zoned(raw)), { type: "datetime-local" });
  if (key === "breaks") return text(listed(value), (raw) => change(key, parts(raw)), { placeholder: "22:00-07:00" });
  if (key in RULES) return rules(key, value, form);
  if (SHARES.includes(key)) return number(value?.points, (points) => change(key, points === null ? null : { points }), { placeholder: "–" });
  if (shown === "true" || shown === "false") {
    const ticked = (/** @type {Event} */ { currentTarget }) => change(key, /** @type {HTMLInputElement} */ (currentTarget).checked);
    return h("input", { id, type: "checkbox", checked: value ?? shown === "true", onChange: ticked });
  }
  if (/^\d/.test(shown)) return number(value, write, { placeholder: OPEN.includes(key) ? "–" : shown });
  return text(value ?? "", (raw) => change(key, raw === "" ? null : raw));
}

/** @param {[string, string][]} options @param {unknown} value @param {(chosen: string[]) => void} change */
function boxes(options, value, change) {
  const chosen = Array.isArray(value) ? value : [];
  const turn = (/** @type {string} */ one) => change(chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]);
  return h("div", { class: "row" }, options.map(([one, words]) => h("label", { key: one, class: "inline" }, h("input", { type: "checkbox", checked: chosen.includes(one), onChange: () => turn(one) }), words)));
}

/** Everybody, or some groups and players. @param {Form} form @param {any} value */
function who({ groups, change, typed }, value) {
  const some = typeof value === "object" && value !== null;
  const { groups: chosen = [], players = [] } = some ? value : {};
  const write = (/** @type {{groups?: string[], players?: string[]}} */ now) => change("who", { groups: chosen, players, ...now });
  return [
    select(some ? "some" : "all", [["all", t("form.who.all")], ["some", t("form.who.some")]], (now) => (now === "all" ? change("who", "all") : write({})), { name: "who", "aria-label": t("form.who") }),
    some && groups.length > 0 ? boxes(groups.map((group) => [group, group]), chosen, (now) => write({ groups: now })) : null,
    some ? h("input", { ...typed({ name: "players", shown: listed(players), write: (raw) => write({ players: parts(raw) }) }), "aria-label": t("form.who.players"), placeholder: t("form.who.players") }) : null,
  ];
}

/** The rules of one kind, a row each. @param {string} key @param {any} value @param {Form} form */
function rules(key, value, { change, typed, games, values }) {
  /** @type {Record<string, any>[]} */
  const rows = Array.isArray(value) ? value : [];
  const write = (/** @type {number} */ at, /** @type {string} */ name, /** @type {unknown} */ now) => change(key, rows.map((row, each) => (each === at ? { ...row, [name]: now } : row)));
  const cell = (/** @type {Record<string, any>} */ row, /** @type {number} */ at, /** @type {string} */ name) => {
    const words = t(`form.rule.${name}`);
    if (name === "level") return h("label", null, words, select(row[name], [...new Set([...(values.reference ?? []), row[name]])].map((level) => [level, level]), (now) => write(at, name, now), { name }));
    if (name === "game") {
      const { game, ...rest } = row;
      const turned = (/** @type {string} */ now) => change(key, rows.map((each, place) => (place !== at ? each : now === "" ? rest : { ...rest, game: now })));
      return h("label", null, words, select(game ?? "", [["", t("form.rule.any")], ...games.map((each) => /** @type {[string, string]} */ ([each, gameName(each)]))], turned, { name }));
    }
    return h("label", null, words, h("input", { type: "number", step: "any", ...typed({ name: `${key}.${at}.${name}`, shown: row[name] ?? "", write: (raw) => write(at, name, Number(raw)) }) }));
  };
  const { game: _, ...fresh } = RULES[key];
  const first = values.reference?.[0];
  return [
    rows.map((row, at) => h("div", { key: at, class: "row" }, Object.keys(RULES[key]).map((name) => cell(row, at, name)), h("button", { type: "button", class: "plain", onClick: () => change(key, rows.length === 1 ? null : rows.filter((_, each) => each !== at)) }, t("remove")))),
    h("button", { type: "button", class: "add", onClick: () => change(key, [...rows, { ...fresh, ...(first && "level" in fresh && { level: first }) }]) }, t("form.rule.add")),
  ];
}

/** @param {unknown} value */
const listed = (value) => (Array.isArray(value) ? value.join(", ") : "");

/** @param {string} raw what stands between commas */
const parts = (raw) => raw.split(",").map((part) => part.trim()).filter((part) => part !== "");

/** A moment as the reader's clock shows it, the way that an input of a date takes it. @param {string | undefined} value */
function local(value) {
  const date = new Date(value ?? "");
  return Number.isNaN(date.getTime()) ? "" : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The same with the zone of this clock, so that it is the same moment for the server. @param {string} text */
function zoned(text) {
  const ahead = -new Date(text).getTimezoneOffset();
  const two = (/** @type {number} */ value) => String(Math.floor(value)).padStart(2, "0");
  return `${text}:00${ahead < 0 ? "-" : "+"}${two(Math.abs(ahead) / 60)}:${two(Math.abs(ahead) % 60)}`;
}
