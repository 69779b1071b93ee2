/** Light or dark: the system's unless the user says otherwise. */

import { dark, light, type Palette } from './palette.js';

export type Choice = 'system' | 'light' | 'dark';

const KEPT = 'stepscope.theme';

function custom(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The chosen palette, on an element as custom properties and for canvases as values. */
export class Theme {
  palette: Palette = light;
  choice: Choice;
  readonly #system = matchMedia('(prefers-color-scheme: dark)');
  readonly #on: HTMLElement;
  readonly #changed: () => void;

  constructor(on: HTMLElement, changed: () => void) {
    this.#on = on;
    this.#changed = changed;
    this.choice = kept();
    this.#apply();
    this.#system.addEventListener('change', () => this.#apply());
  }

  get isDark(): boolean {
    return this.palette === dark;
  }

  choose(choice: Choice): void {
    this.choice = choice;
    try {
      if (choice === 'system') localStorage.removeItem(KEPT);
      else localStorage.setItem(KEPT, choice);
    } catch {
      // Storage may be off; the choice then holds until the page is closed.
    }
    this.#apply();
  }

  #apply(): void {
    const isDark = this.choice === 'dark' || (this.choice === 'system' && this.#system.matches);
    this.palette = isDark ? dark : light;
    this.#on.style.setProperty('color-scheme', isDark ? 'dark' : 'light');
    for (const [name, colour] of Object.entries(this.palette)) {
      this.#on.style.setProperty(custom(name), colour as string);
    }
    this.#changed();
  }
}

function kept(): Choice {
  try {
    const choice = localStorage.getItem(KEPT);
    return choice === 'light' || choice === 'dark' ? choice : 'system';
  } catch {
    return 'system';
  }
}
