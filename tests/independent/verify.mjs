// node verify.mjs EXPORT.zip [--receipts FILE]: checks an export of a Palestra server from its published pages alone.
import { readFileSync } from "node:fs";
import { check } from "./check.mjs";

function main(args) {
  const at = args.indexOf("--receipts");
  const receipts = at >= 0 ? args.splice(at, 2)[1] : null;
  if (args.length !== 1 || (at >= 0 && !receipts)) return console.error("usage: node verify.mjs EXPORT.zip [--receipts FILE]"), 2;
  const { faults, notes, summary } = check(readFileSync(args[0]), receipts && readFileSync(receipts));
  for (const n of notes) console.log(`note: ${n}`);
  console.log(faults.length ? faults.join("\n") : summary);
  return faults.length ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
