// A reader of TOML, as far as a tournament.toml needs it (RECORDS.md, "The file"). Dates are kept as their text.
const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\x1b", '"': '"', "\\": "\\" };

class Reader {
  constructor(text) { this.text = text.replace(/\r\n/g, "\n"); this.at = 0; }
  fail(what) { throw Error(`TOML, line ${this.text.slice(0, this.at).split("\n").length}: ${what}`); }
  match(sticky) {
    sticky.lastIndex = this.at;
    const m = sticky.exec(this.text);
    if (m) this.at += m[0].length;
    return m;
  }
  blank() { this.match(/[ \t]*/y); }
  blankLines() { this.match(/(?:[ \t\n]|#[^\n]*)*/y); }
  take(s) {
    if (!this.text.startsWith(s, this.at)) return false;
    this.at += s.length;
    return true;
  }
  need(s) { if (!this.take(s)) this.fail(`expected ${s}`); }

  key() {
    const parts = [];
    do {
      this.blank();
      const c = this.text[this.at];
      if (c === '"' || c === "'") parts.push(this.string());
      else parts.push((this.match(/[A-Za-z0-9_-]+/y) ?? this.fail("expected a key"))[0]);
      this.blank();
    } while (this.take("."));
    return parts;
  }
  string() {
    const quote = this.text[this.at], long = quote.repeat(3);
    const close = this.take(long) ? long : (this.at++, quote);
    if (close === long) this.take("\n");
    let out = "";
    while (!this.text.startsWith(close, this.at)) {
      const c = this.text[this.at++];
      if (c === undefined || (c === "\n" && close !== long)) this.fail("a string without an end");
      if (c !== "\\" || quote === "'") { out += c; continue; }
      if (close === long && this.match(/[ \t]*\n[ \t\n]*/y)) continue;
      const e = this.text[this.at++];
      if (e in ESCAPES) out += ESCAPES[e];
      else {
        const m = e === "u" ? this.match(/[0-9a-fA-F]{4}/y) : e === "U" ? this.match(/[0-9a-fA-F]{8}/y) : null;
        out += String.fromCodePoint(parseInt((m ?? this.fail("an unknown escape"))[0], 16));
      }
    }
    this.at += close.length;
    for (let k = 0; close === long && k < 2 && this.text[this.at] === quote; k++) { out += quote; this.at++; }
    return out;
  }
  value() {
    const c = this.text[this.at];
    if (c === '"' || c === "'") return this.string();
    if (this.take("[")) {
      const list = [];
      for (this.blankLines(); !this.take("]"); this.blankLines()) {
        list.push(this.value());
        this.blankLines();
        if (!this.take(",")) { this.need("]"); break; }
      }
      return list;
    }
    if (this.take("{")) {
      const table = {};
      for (this.blankLines(); !this.take("}"); this.blankLines()) {
        this.pair(table);
        this.blankLines();
        if (!this.take(",")) { this.need("}"); break; }
      }
      return table;
    }
    const word = (this.match(/\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d[^\s,\]}#]*)?|[^\s,\]}#]+/y) ?? this.fail("expected a value"))[0];
    if (word === "true" || word === "false") return word === "true";
    const plain = word.replace(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, "");
    if (/^[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(plain) || /^0(x[0-9a-fA-F]+|o[0-7]+|b[01]+)$/.test(plain)) return Number(plain);
    if (/^[+-]?inf$/.test(plain)) return plain[0] === "-" ? -Infinity : Infinity;
    if (/^[+-]?nan$/.test(plain)) return NaN;
    if (/^\d\d(\d\d-\d\d-|:\d\d)/.test(word)) return word;
    return this.fail(`not a value: ${word}`);
  }
  pair(table) {
    const keys = this.key();
    this.need("=");
    this.blank();
    const last = keys.pop();
    for (const k of keys) table = table[k] ??= {};
    if (Object.hasOwn(table, last)) this.fail(`${last} is there twice`);
    table[last] = this.value();
  }
  document() {
    const root = {};
    let table = root;
    const open = new Set();
    for (this.blankLines(); this.at < this.text.length; this.blankLines()) {
      if (this.take("[")) {
        const many = this.take("["), keys = this.key(), last = keys.pop();
        this.need(many ? "]]" : "]");
        table = root;
        for (const k of keys) { table = table[k] ??= {}; if (Array.isArray(table)) table = table.at(-1); }
        if (many) { (table[last] ??= []).push({}); table = table[last].at(-1); }
        else {
          const name = JSON.stringify([...keys, last]);
          if (open.has(name)) this.fail(`[${last}] is there twice`);
          if (!keys.length) open.add(name);
          table = table[last] ??= {};
        }
      } else this.pair(table);
      if (!this.match(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y)) this.fail("more on the line than a value");
    }
    return root;
  }
}

export const parseToml = (text) => new Reader(text).document();
