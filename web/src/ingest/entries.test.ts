import { expect, test } from 'vitest';
import { archiveKind, entryOf } from './entries.js';
import { picked } from './pick.js';

test.each([
  ['logs.zip', 'zip'],
  ['logs.TAR.GZ', 'tar.gz'],
  ['logs.tgz', 'tar.gz'],
  ['logs.tar', 'tar'],
  ['000000.jsonl.gz', null],
  ['000000.jsonl', null],
  ['zip', null],
])('%s is unpacked as %s', (name, kind) => {
  expect(archiveKind(name)).toBe(kind);
});

test('a gzipped segment is decompressed on the way', () => {
  const { source } = entryOf('000000.jsonl.gz', new File(['x'], '000000.jsonl.gz'));
  expect(source).toMatchObject({ kind: 'packed', packed: { encodings: ['gzip'] } });
});

test('a picked folder is one listing, loose files another', () => {
  const file = (name: string, path: string) =>
    Object.defineProperty(new File(['x'], name), 'webkitRelativePath', { value: path });
  const listings = picked([file('a', 'log/a'), file('b', 'log/sub/b'), file('000000.jsonl', '')]);
  expect(listings.map(({ name, entries }) => [name, entries.map(({ path }) => path)])).toEqual([
    ['log', ['log/a', 'log/sub/b']],
    ['000000.jsonl', ['000000.jsonl']],
  ]);
});
