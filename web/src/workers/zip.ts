/**
 * Zip archives by their central directory: each member is a part of the file that is read on its own, in any worker,
 * and inflated by the browser.
 */

import { type Entry, isGzip, type Packed } from '../ingest/entries.js';

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
/** The end record and the longest comment it may carry. */
const TAIL = 22 + 65_535;

async function part(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer());
}

function big(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

interface Directory {
  count: number;
  from: number;
  size: number;
}

async function directory(blob: Blob): Promise<Directory> {
  const tailFrom = Math.max(0, blob.size - TAIL);
  const tail = await part(blob, tailFrom, blob.size);
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const count = tail.getUint16(at + 10, true);
    const size = tail.getUint32(at + 12, true);
    const from = tail.getUint32(at + 16, true);
    const locator = at - 20;
    if (locator >= 0 && tail.getUint32(locator, true) === END_64_LOCATOR) {
      const end = await part(blob, big(tail, locator + 8), big(tail, locator + 8) + 56);
      if (end.byteLength === 56 && end.getUint32(0, true) === END_64) {
        return { count: big(end, 32), size: big(end, 40), from: big(end, 48) };
      }
    }
    return { count, from, size };
  }
  throw new Error('it has no end record of a zip');
}

/** Every file of the archive. Members that cannot be read (encrypted, other methods) say so when their turn comes. */
export async function listZip(blob: Blob): Promise<Entry[]> {
  const { count, from, size } = await directory(blob);
  const view = await part(blob, from, from + size);
  const text = new TextDecoder();
  const entries: Entry[] = [];
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) {
      throw new Error('its list of files is cut off');
    }
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    let packedSize = view.getUint32(at + 20, true);
    let plainSize = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const commentLength = view.getUint16(at + 32, true);
    let offset = view.getUint32(at + 42, true);
    const name = text.decode(new Uint8Array(view.buffer, at + 46, nameLength));
    // Sizes of four gigabytes and more stand in an extra field, each only where the short one is full.
    const extraEnd = at + 46 + nameLength + extraLength;
    for (let extra = at + 46 + nameLength; extra + 4 <= extraEnd; ) {
      const length = view.getUint16(extra + 2, true);
      if (view.getUint16(extra, true) === 1) {
        let field = extra + 4;
        const next = (): number => {
          field += 8;
          return big(view, field - 8);
        };
        if (plainSize === 0xffffffff) plainSize = next();
        if (packedSize === 0xffffffff) packedSize = next();
        if (offset === 0xffffffff) offset = next();
      }
      extra += 4 + length;
    }
    at = extraEnd + commentLength;
    if (name.endsWith('/')) continue;
    entries.push(await entry(blob, name, { flags, method, packedSize, plainSize, offset }));
  }
  return entries;
}

interface Member {
  flags: number;
  method: number;
  packedSize: number;
  plainSize: number;
  offset: number;
}

async function entry(blob: Blob, name: string, member: Member): Promise<Entry> {
  const path = name.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
  const refuse = (why: string): Entry => ({
    path,
    size: member.plainSize,
    source: { kind: 'unreadable', why },
  });
  if (member.flags & 1) return refuse('it is encrypted');
  if (member.method !== STORED && member.method !== DEFLATED) {
    return refuse(`its compression (method ${member.method}) is not supported`);
  }
  const local = await part(blob, member.offset, member.offset + 30);
  if (local.byteLength < 30 || local.getUint32(0, true) !== LOCAL)
    return refuse('its place is not in the archive');
  const start = member.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const encodings: Packed['encodings'] = [
    ...(member.method === DEFLATED ? (['deflate-raw'] as const) : []),
    ...(isGzip(path) ? (['gzip'] as const) : []),
  ];
  const packed = { blob: blob.slice(start, start + member.packedSize), encodings };
  return { path, size: member.plainSize, source: { kind: 'packed', packed } };
}
