/** The sign before a line: its shape says as much as its colour. */

import { html, svg, type TemplateResult } from 'lit';
import type { Level } from '../session/answers.js';

const WORDS: Record<Level, string> = {
  good: 'good',
  note: 'worth knowing',
  bad: 'bad',
  unknown: 'cannot be told',
};

const SHAPES: Record<Level, TemplateResult> = {
  good: svg`<circle cx="7" cy="7" r="6" fill="var(--good)"/><path d="M4 7.2 6.2 9.4 10 5" fill="none" stroke="var(--ground)" stroke-width="1.7"/>`,
  note: svg`<path d="M7 1 13 12.5H1Z" fill="var(--host-or-gpu)"/><path d="M7 5v4M7 10v1.4" stroke="var(--ground)" stroke-width="1.5"/>`,
  bad: svg`<path d="M4.2 1h5.6L13 4.2v5.6L9.8 13H4.2L1 9.8V4.2Z" fill="var(--host)"/><path d="M7 3.6v4.2M7 9.4v1.6" stroke="var(--ground)" stroke-width="1.7"/>`,
  unknown: svg`<circle cx="7" cy="7" r="5.3" fill="none" stroke="var(--muted)" stroke-width="1.4"/><path d="M5.3 5.6a1.75 1.75 0 1 1 2.4 1.6c-.5.2-.7.5-.7 1M7 9.2v1.2" fill="none" stroke="var(--muted)" stroke-width="1.3"/>`,
};

export function sign(level: Level): TemplateResult {
  return html`<svg width="14" height="14" viewBox="0 0 14 14" role="img" aria-label=${WORDS[level]}>${SHAPES[level]}</svg>`;
}
