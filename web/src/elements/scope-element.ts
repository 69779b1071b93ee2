/** What every element of the page is: it is given a scope and draws again when its topics change. */

import { LitElement, type PropertyValues } from 'lit';
import { property } from 'lit/decorators.js';
import type { Scope, Topic } from '../scope.js';

export abstract class ScopeElement extends LitElement {
  @property({ attribute: false }) declare scope: Scope;
  protected readonly topics: readonly Topic[] = [];
  #unfollow: (() => void) | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unfollow?.();
    this.#unfollow = null;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('scope')) this.#follow();
  }

  /** A topic has changed. */
  protected told(): void {
    this.requestUpdate();
  }

  #follow(): void {
    this.#unfollow?.();
    this.#unfollow =
      this.scope && this.isConnected ? this.scope.follow(this.topics, () => this.told()) : null;
  }
}
