// Reading a zip file by hand (RECORDS.md, "An export": stored or deflated files, limits on sizes).
import { inflateRawSync, crc32 as nodeCrc } from "node:zlib";

const MIB = 1 << 20;
const TABLE = /^tournaments\/[^/]+\/(schedule|standings|crosstable|grades)\.csv$/;

const CRC = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});
export function crc32(data) {
  if (nodeCrc) return nodeCrc(data);
  let c = 0xffffffff;
  for (let i = 0; i < data.length; i++) c = CRC[(c ^ data[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Returns a Map name -> Buffer; whatever is odd about the archive goes to fault(text). */
export function readZip(buffer, fault) {
  const files = new Map();
  let end = buffer.length - 22;
  while (end >= 0 && !(buffer.readUInt32LE(end) === 0x06054b50 && end + 22 + buffer.readUInt16LE(end + 20) === buffer.length)) end--;
  if (end < 0) return fault("zip: no end of the central directory"), files;
  const count = buffer.readUInt16LE(end + 10), size = buffer.readUInt32LE(end + 12), start = buffer.readUInt32LE(end + 16);
  if (buffer.readUInt16LE(end + 20)) fault("zip: has a comment");
  if (count === 0xffff || start === 0xffffffff) return fault("zip: zip64 is not supported here"), files;
  if (size > 4 * MIB) fault("zip: the directory has more than 4 MiB");
  if (start + size !== end) fault("zip: bytes between the directory and its end");
  const spans = [];
  let p = start;
  for (let i = 0; i < count; i++) {
    if (p + 46 > end || buffer.readUInt32LE(p) !== 0x02014b50) return fault(`zip: entry ${i} of the directory is broken`), files;
    const flags = buffer.readUInt16LE(p + 8), method = buffer.readUInt16LE(p + 10), crc = buffer.readUInt32LE(p + 16);
    const packed = buffer.readUInt32LE(p + 20), unpacked = buffer.readUInt32LE(p + 24), local = buffer.readUInt32LE(p + 42);
    const nameLength = buffer.readUInt16LE(p + 28);
    const raw = buffer.subarray(p + 46, p + 46 + nameLength), name = raw.toString("utf8");
    p += 46 + nameLength + buffer.readUInt16LE(p + 30) + buffer.readUInt16LE(p + 32);
    if (files.has(name)) fault(`zip: ${name} is there twice`);
    if (local + 30 > start || buffer.readUInt32LE(local) !== 0x04034b50) { fault(`zip: ${name} has no local header`); continue; }
    const localName = buffer.readUInt16LE(local + 26);
    if (!raw.equals(buffer.subarray(local + 30, local + 30 + localName))) fault(`zip: ${name} has another name in its local header`);
    const from = local + 30 + localName + buffer.readUInt16LE(local + 28), data = buffer.subarray(from, from + packed);
    let to = from + packed;
    if (flags & 8) to += buffer.readUInt32LE(to) === 0x08074b50 ? 16 : 12; // a data descriptor
    spans.push([local, to]);
    if (flags & 1) { fault(`zip: ${name} is encrypted`); continue; }
    if (!TABLE.test(name) && unpacked > 100 * packed) { fault(`zip: ${name} unpacks to more than 100 times its size`); continue; }
    let text;
    try {
      if (method === 0) text = data;
      else if (method === 8) text = inflateRawSync(data, { maxOutputLength: Math.max(unpacked, 1) });
      else { fault(`zip: ${name} is neither stored nor deflated`); continue; }
    } catch (error) { fault(`zip: ${name} can't be unpacked (${error.code ?? error.message})`); continue; }
    if (text.length !== unpacked || crc32(text) !== crc) { fault(`zip: ${name} has the wrong size or CRC`); continue; }
    files.set(name, text);
  }
  if (p !== start + size) fault("zip: the directory has bytes that belong to no entry");
  spans.sort((a, b) => a[0] - b[0]);
  let at = 0;
  for (const [from, to] of spans) { if (from !== at) fault(`zip: bytes at ${Math.min(at, from)} that belong to no file, or to two`); at = to; }
  if (at !== start) fault("zip: bytes before the directory that belong to no file");
  return files;
}
