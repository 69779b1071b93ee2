/** What the engine said about itself. */

import { html } from 'lit';
import type { Source } from '../elements/scope-rows.js';
import type { ConfigRow } from '../session/answers.js';

export type ConfigLine = ConfigRow | { readonly heading: string };

export function configLines(rows: readonly ConfigRow[]): ConfigLine[] {
  const list: ConfigLine[] = [];
  let group = '';
  for (const row of rows) {
    if (row.group !== group) list.push({ heading: row.group });
    group = row.group;
    list.push(row);
  }
  return list;
}

export function configSource(listed: readonly ConfigLine[]): Source<ConfigLine> {
  const of = (read: (row: ConfigRow) => unknown) => (line: ConfigLine) =>
    'heading' in line ? '' : read(line);
  return {
    label: 'Configuration',
    columns: [
      { head: 'Setting', width: 240, cell: of((row) => row.label) },
      {
        head: 'Value',
        width: 220,
        grow: 1,
        cell: of((row) => (row.value === null ? html`<span class="faint">not recorded</span>` : row.value)),
      },
    ],
    total: listed.length,
    fetch: (from, count) => listed.slice(from, from + count),
    heading: (line) => ('heading' in line ? line.heading : null),
    empty: 'The log has no hello: nothing is known about the engine.',
  };
}
