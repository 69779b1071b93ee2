/** Sets properties through the CSSOM: the page's policy forbids style attributes. */

import { type ElementPart, noChange } from 'lit';
import { Directive, type DirectiveResult, directive } from 'lit/directive.js';

class CssProperties extends Directive {
  #last: Record<string, string> = {};

  render(_properties: Record<string, string>): typeof noChange {
    return noChange;
  }

  override update(part: ElementPart, [properties]: [Record<string, string>]): typeof noChange {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(properties)) {
      if (this.#last[name] !== value) style.setProperty(name, value);
    }
    this.#last = properties;
    return noChange;
  }
}

export const cssProperties: (properties: Record<string, string>) => DirectiveResult = directive(
  CssProperties,
) as never;
