// @ts-check
// The words of the page. A language is one file in lang/ and one line here.
import { keep, kept } from "./kept.js";
import en from "./lang/en.js";

/** @type {Record<string, string>} */
export const LANGUAGES = { en: "English", es: "Español" };

/** @type {Record<string, string>} */
let words = en;

/** The language that is shown. */
export let language = "en";

/** Loads the reader's language: the one chosen here before, else the browser's. */
export async function loadLanguage() {
  const wanted = [kept("language"), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  const chosen = wanted.find((tag) => tag !== null && tag in LANGUAGES) ?? "en";
  const more = chosen === "en" ? null : await import(`./lang/${chosen}.js`).catch(() => null);
  if (more !== null) {
    language = chosen;
    words = { ...en, ...more.default };
  }
  document.documentElement.lang = language;
}

/** @param {string} tag */
export function chooseLanguage(tag) {
  keep("language", tag);
  location.reload();
}

/**
 * The text of `key` with its `{names}` filled in. A number `n` of 1 takes `key.one` where there is one.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const one = values.n === 1 ? words[`${key}.one`] : undefined;
  const text = one ?? words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * What the server says, in the reader's language where the code alone says enough. The server's own words are English.
 * @param {string} code
 * @param {string} message
 */
export const told = (code, message) => words[`server.${code}`] ?? message;

/**
 * What the server says in parts, by its code and values; in English as the server says it where the code is not known.
 * @param {{message: string, code: string, values: Record<string, string | number>}} parts
 * @param {"remark" | "notice" | "marking" | "list" | "file"} [kind]
 */
export const remark = ({ message, code, values }, kind = "remark") => (`${kind}.${code}` in words ? t(`${kind}.${code}`, values) : message);

/** A comment in a tournament file: after a key, after a table, or on a line of its own. */
const COMMENT = /^((?:# )?\w+ = .*? # |\[\w+\] +# | *# )(.*)$/gm;

/**
 * An example of a tournament file with what is said about its keys in the reader's language. It comes in English; the
 * names of the games, after the colon, stay.
 * @param {string} toml
 */
export function explained(toml) {
  return toml.replace(COMMENT, (whole, code, text) => {
    const [head] = `example.${text}` in words ? [text] : text.split(": ", 1);
    return `example.${head}` in words ? code + words[`example.${head}`] + text.slice(head.length) : whole;
  });
}

/**
 * The text of `key`, or `other` if there is none: for words that a server may add to.
 * @param {string} key
 * @param {string} other
 */
export const tOr = (key, other) => words[key] ?? other;
