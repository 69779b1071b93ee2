import { expect, test } from 'vitest';
import type { Packed } from '../ingest/entries.js';
import { listZip } from './zip.js';

interface Member {
  name: string;
  text: string;
  method: number;
  flags?: number;
}

async function deflated(plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A zip as archivers write it. */
async function zip(members: Member[], comment = ''): Promise<Blob> {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  const encode = (text: string) => new TextEncoder().encode(text);
  for (const { name, text, method, flags = 0 } of members) {
    const plain = encode(text);
    const packed = method === 8 ? await deflated(plain) : plain;
    const head = new DataView(new ArrayBuffer(30));
    head.setUint32(0, 0x04034b50, true);
    head.setUint16(26, encode(name).length, true);
    parts.push(new Uint8Array(head.buffer), encode(name), packed);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(8, flags, true);
    entry.setUint16(10, method, true);
    entry.setUint32(20, packed.length, true);
    entry.setUint32(24, plain.length, true);
    entry.setUint16(28, encode(name).length, true);
    entry.setUint32(42, offset, true);
    central.push(new Uint8Array(entry.buffer), encode(name));
    offset += 30 + encode(name).length + packed.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, members.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  end.setUint16(20, comment.length, true);
  return new Blob([...parts, ...central, new Uint8Array(end.buffer), comment] as BlobPart[]);
}

async function textOf({ blob, encodings }: Packed): Promise<string> {
  let stream: ReadableStream = blob.stream();
  for (const encoding of encodings) stream = stream.pipeThrough(new DecompressionStream(encoding));
  return new Response(stream).text();
}

test('members are found where they lie, deflated or stored', async () => {
  const entries = await listZip(
    await zip(
      [
        { name: 'log/', text: '', method: 0 },
        { name: 'log/000000.jsonl', text: '{"a":1}\n'.repeat(100), method: 8 },
        { name: 'log/status.json', text: '{}', method: 0 },
      ],
      'with a comment',
    ),
  );
  expect(entries.map(({ path, size }) => [path, size])).toEqual([
    ['log/000000.jsonl', 800],
    ['log/status.json', 2],
  ]);
  const texts = await Promise.all(
    entries.map(({ source }) => {
      if (source.kind !== 'packed') throw new Error(source.kind);
      return textOf(source.packed);
    }),
  );
  expect(texts).toEqual(['{"a":1}\n'.repeat(100), '{}']);
});

test('a member that cannot be read says why', async () => {
  const entries = await listZip(
    await zip([
      { name: 'secret', text: 'x', method: 8, flags: 1 },
      { name: 'odd', text: 'x', method: 93 },
    ]),
  );
  expect(entries.map(({ source }) => source)).toEqual([
    { kind: 'unreadable', why: 'it is encrypted' },
    { kind: 'unreadable', why: 'its compression (method 93) is not supported' },
  ]);
});

test('a file that is no zip, and one that is cut, are said to be', async () => {
  await expect(listZip(new Blob(['no zip at all']))).rejects.toThrow('no end record');
  const whole = await zip([{ name: 'a', text: 'text', method: 8 }]);
  await expect(listZip(whole.slice(0, whole.size - 10))).rejects.toThrow('no end record');
});
