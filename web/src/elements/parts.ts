/** Sentences with links in them. All text is text: it comes from logs. */

import { html, type TemplateResult } from 'lit';
import type { Scope } from '../scope.js';
import type { Part } from '../session/answers.js';

export function sentence(parts: readonly Part[], scope: Scope): TemplateResult {
  return html`${parts.map((part) => {
    const { link } = part;
    const text = link
      ? html`<button class="inline" @click=${() => scope.follows(link)}>${part.text}</button>`
      : html`${part.text}`;
    return part.strong ? html`<strong>${text}</strong>` : text;
  })}`;
}
