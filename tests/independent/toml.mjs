// As much of TOML as tournament files use: keys, tables, arrays of tables, texts, numbers, booleans, lists, inline tables.
export function parseToml(text) {
  const root = {};
  let table = root;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*(\[\[?)([\w.-]+)\]\]?\s*(#.*)?$/.exec(line);
    if (heading) {
      const path = heading[2].split("."), last = path.pop();
      let at = root;
      for (const part of path) at = at[part] ??= {};
      if (heading[1] === "[[") {
        table = {};
        (at[last] ??= []).push(table);
      } else table = at[last] ??= {};
      continue;
    }
    const found = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(line);
    if (found) table[found[1]] = value(found[2]).value;
  }
  return root;
}

function value(text) {
  const rest = text.trimStart();
  const word = /^(true|false|[+-]?[0-9][0-9_.eE+-]*)(.*)$/s.exec(rest);
  if (rest[0] === '"') {
    const end = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
    return { value: JSON.parse(end[0]), rest: rest.slice(end[0].length) };
  }
  if (rest[0] === "[" || rest[0] === "{") {
    const list = rest[0] === "[", out = list ? [] : {};
    let left = rest.slice(1).trimStart();
    while (left[0] !== "]" && left[0] !== "}") {
      const key = list ? null : /^([\w-]+)\s*=/.exec(left);
      const item = value(key ? left.slice(key[0].length) : left);
      if (list) out.push(item.value);
      else out[key[1]] = item.value;
      left = item.rest.trimStart().replace(/^,/, "").trimStart();
    }
    return { value: out, rest: left.slice(1) };
  }
  if (!word) throw new Error(`no value: ${text}`);
  const plain = { true: true, false: false }[word[1]];
  return { value: plain ?? Number(word[1].replaceAll("_", "")), rest: word[2] };
}
