/** Keys anywhere on the page that no control has taken. */

import type { Scope } from '../scope.js';
import { PITCH } from '../tracks/members.js';
import { type KeyAction, keyAction, MOVES } from '../view/keys.js';
import { moved, PRESS_SECONDS } from '../view/motion.js';
import * as states from '../view/state.js';

export class KeyHand {
  readonly #scope: Scope;
  readonly #showKeys: () => void;
  readonly #held = new Map<string, KeyAction>();
  #frame = 0;
  #last = 0;

  constructor(scope: Scope, signal: AbortSignal, showKeys: () => void) {
    this.#scope = scope;
    this.#showKeys = showKeys;
    window.addEventListener('keydown', (event) => this.#down(event), { signal });
    window.addEventListener('keyup', (event) => this.#held.delete(event.code), { signal });
    window.addEventListener('blur', () => this.#held.clear(), { signal });
    scope.drawsWhen(() => this.#frame !== 0);
  }

  #down(event: KeyboardEvent): void {
    if (event.defaultPrevented || taken(event)) return;
    const action = keyAction(event);
    if (!action) return;
    if (action === 'keys') {
      event.preventDefault();
      this.#showKeys();
      return;
    }
    if (!this.#scope.view) return;
    event.preventDefault();
    if (MOVES.has(action)) this.#hold(event, action);
    else this.#once(action);
  }

  #hold(event: KeyboardEvent, action: KeyAction): void {
    if (event.repeat && this.#held.has(event.code)) return;
    this.#held.set(event.code, action);
    this.#scope.update((view) => moved(view, [action], PRESS_SECONDS));
    if (this.#frame === 0) {
      this.#last = performance.now();
      this.#frame = requestAnimationFrame((now) => this.#tick(now));
    }
  }

  #tick(now: number): void {
    this.#frame = 0;
    if (this.#held.size === 0) return;
    const seconds = Math.min(Math.max((now - this.#last) / 1000, 0), 0.1);
    this.#last = now;
    this.#scope.update((view) => moved(view, this.#held.values(), seconds));
    this.#frame = requestAnimationFrame((next) => this.#tick(next));
  }

  #once(action: KeyAction): void {
    const scope = this.#scope;
    if (action === 'fit') scope.update(states.fit);
    else if (action === 'whole') scope.update(states.whole);
    else if (action === 'back') {
      if (scope.failure) scope.closeFailure();
      else scope.update(states.back);
    } else if (action === 'lanesUp') scope.scroll(scope.scrolled - 3 * PITCH);
    else if (action === 'lanesDown') scope.scroll(scope.scrolled + 3 * PITCH);
    else {
      scope.toMark(action === 'nextMark' ? 1 : -1).catch((thrown) => scope.fail(thrown));
    }
  }
}

/** Whether a control or a dialog has the key for itself. */
function taken(event: KeyboardEvent): boolean {
  return event
    .composedPath()
    .some(
      (node) =>
        node instanceof HTMLElement &&
        (node.matches('input, textarea, select, dialog[open]') || (node as HTMLElement).isContentEditable),
    );
}
