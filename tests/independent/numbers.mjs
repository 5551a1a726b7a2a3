// Numbers as the tables have them (RECORDS.md, "The tables"): C's %g, rounding to the nearest with ties to even, CSV.

/** |x| rounded to `digits` places after the point (may be negative), ties to even, from the exact value of the double. */
function roundDigits(x, digits) {
  const [whole, part] = exact(Math.abs(x)), all = whole + part, cut = whole.length + digits;
  if (cut < 0) return "0";
  const kept = cut > all.length ? all.padEnd(cut, "0") : all.slice(0, cut), rest = all.slice(cut);
  let n = BigInt(kept || "0");
  if (rest && (rest[0] > "5" || (rest[0] === "5" && (/[1-9]/.test(rest.slice(1)) || n % 2n === 1n)))) n++;
  return n.toString(); // in units of 10^-digits
}
/** The exact decimal expansion of a double at least 0: [digits before, digits after the point]. */
function exact(x) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const raw = bits.getBigUint64(0), e = Number(raw >> 52n), m = (raw & ((1n << 52n) - 1n)) | (e ? 1n << 52n : 0n), shift = Math.max(e, 1) - 1075;
  if (shift >= 0) return [(m << BigInt(shift)).toString(), ""];
  const k = BigInt(-shift), whole = m >> k, part = (m & ((1n << k) - 1n)) * 5n ** k;
  return [whole.toString(), part.toString().padStart(-shift, "0")];
}

export function round(x, digits = 0) {
  const n = Number(roundDigits(x, digits) + "e" + -digits);
  return (x < 0 ? -n : n) + 0 || 0;
}

/** C's %g: six significant digits, no trailing zeros. */
export function g(x) {
  if (x === 0) return "0";
  let e = Math.floor(Math.log10(Math.abs(x)));
  for (const t of [e + 1, e, e - 1]) if (Math.abs(x) >= Number(`1e${t}`)) { e = t; break; }
  let digits = roundDigits(x, 5 - e);
  if (digits.length > 6) { digits = digits.slice(0, 6); e++; }
  const sign = x < 0 ? "-" : "", trim = (s) => (s.includes(".") ? s.replace(/\.?0+$/, "") : s);
  if (e < -4 || e >= 6) return sign + trim(`${digits[0]}.${digits.slice(1)}`) + `e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  if (e >= 0) return sign + trim(`${digits.slice(0, e + 1)}.${digits.slice(e + 1)}`);
  return sign + trim(`0.${"0".repeat(-e - 1)}${digits}`);
}

/** Names and groups: an apostrophe in front of what a spreadsheet would take for a formula. */
export const safe = (s) => (/^[=+\-@＝＋－＠\t\r]/u.test(s) ? "'" + s : s);
export const csv = (rows) => rows.map((row) => row.map((v) => {
  const s = v === null || v === undefined ? "" : typeof v === "number" ? g(v) : v;
  return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}).join(",") + "\n").join("");
