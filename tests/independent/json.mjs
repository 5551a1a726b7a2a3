// Canonical JSON (RECORDS.md, "Canonical JSON"), hashes, and checks of the shape of maps.
import { createHash } from "node:crypto";

export const sha = (...parts) => parts.reduce((h, p) => h.update(p), createHash("sha256")).digest();
export const hex = (...parts) => sha(...parts).toString("hex");

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
export const utf8 = (bytes) => strict.decode(bytes);

/** RFC 8785. JavaScript's own JSON.stringify has its numbers and escapes; only the keys have to be sorted. */
export function canonical(x) {
  if (Array.isArray(x)) return "[" + x.map(canonical).join(",") + "]";
  if (x !== null && typeof x === "object")
    return "{" + Object.keys(x).sort().map((k) => JSON.stringify(k) + ":" + canonical(x[k])).join(",") + "}";
  return JSON.stringify(x);
}

function sane(x) {
  if (typeof x === "string") return x.isWellFormed();
  if (x === null || typeof x !== "object") return true;
  return Object.entries(x).every(([k, v]) => k.isWellFormed() && sane(v));
}

/** The map in a canonical line, or a thrown Error. */
export function parseCanonical(bytes) {
  const text = utf8(bytes), value = JSON.parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw Error("is not a map");
  if (!sane(value) || canonical(value) !== text) throw Error("is not canonical JSON");
  return value;
}

/** The lines of a .jsonl file as buffers; each has to end with LF and to have at most 8 MiB. */
export function lines(bytes, name, fault) {
  const out = [];
  for (let at = 0; at < bytes.length; ) {
    let end = bytes.indexOf(10, at);
    if (end < 0) { fault(`${name}: the last line has no LF`); end = bytes.length; }
    if (end - at > 8 << 20) fault(`${name}: line ${out.length + 1} has more than 8 MiB`);
    out.push(bytes.subarray(at, end));
    at = end + 1;
  }
  return out;
}

export const equal = (a, b) => canonical(a) === canonical(b);
export const is = {
  int: (x) => Number.isInteger(x) && Math.abs(x) <= 2 ** 53,
  count: (x) => Number.isInteger(x) && x >= 0 && x <= 2 ** 53,
  text: (x) => typeof x === "string",
  bool: (x) => typeof x === "boolean",
  seat: (x) => x === 0 || x === 1,
  map: (x) => x !== null && typeof x === "object" && !Array.isArray(x),
  nullOr: (f) => (x) => x === null || f(x),
  list: (f, n) => (x) => Array.isArray(x) && (n === undefined || x.length === n) && x.every(f),
  oneOf: (...all) => (x) => all.includes(x),
};

/** What is wrong with the fields of a map, or null. `fields`: name -> test. */
export function misshapen(map, fields) {
  if (!is.map(map)) return "is not a map";
  for (const k of Object.keys(fields)) {
    if (!Object.hasOwn(map, k)) return `lacks ${k}`;
    if (!fields[k](map[k])) return `has an impossible ${k}`;
  }
  for (const k of Object.keys(map)) if (!Object.hasOwn(fields, k)) return `has a field ${k} too many`;
  return null;
}
