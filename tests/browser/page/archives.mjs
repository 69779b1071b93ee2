/** Archives of a folder, made as a user would make them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { temporaryFolder } from '../harness/logs.mjs';

/** A .tar or .tar.gz with the folder in it. @param {string} folder @param {'tar' | 'tar.gz'} kind */
export function tarOf(folder, kind) {
  const archive = join(temporaryFolder(), `log.${kind}`);
  execFileSync('tar', [kind === 'tar' ? '-cf' : '-czf', archive, '-C', dirname(folder), basename(folder)]);
  return archive;
}

/** @param {string} folder */
export function zipOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const archive = join(temporaryFolder(), 'log.zip');
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {Buffer[]} */
  const central = [];
  let offset = 0;
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const bytes = readFileSync(path);
    const name = Buffer.from(`log${path.slice(folder.length)}`);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), fields, name, packed);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(20, 4);
    fields.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    central.push(entry, name);
    offset += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(archive, Buffer.concat([...parts, list, end]));
  return archive;
}

/** @param {Buffer} bytes */
function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
