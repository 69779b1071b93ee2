import assert from 'node:assert/strict';

/** Everything a page did that a user or an administrator would complain of. */
export class Watch {
  /** Errors on the console, uncaught exceptions, rejected promises, crashes. @type {string[]} */
  errors = [];
  /** URL of every request, of the page and of its workers. @type {string[]} */
  requests = [];
  #origin;
  #page;

  /**
   * @param {import('playwright-core').Page} page before it goes anywhere
   * @param {string} origin the only one it may ask
   */
  constructor(page, origin) {
    this.#origin = origin;
    this.#page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.errors.push(error.stack ?? String(error)));
    page.on('crash', () => this.errors.push('the page crashed'));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  /**
   * Waits until what the page and its workers have reported so far has arrived here: an answer to a question comes
   * after the events before it. A worker that is busy, or that ends meanwhile, is not waited for.
   */
  async settle() {
    const busy = new Promise((resolve) => setTimeout(resolve, 1000).unref());
    const asked = [this.#page.evaluate('0'), ...this.#page.workers().map((worker) => worker.evaluate('0'))];
    await Promise.race([Promise.allSettled(asked), busy]);
  }

  /** Requests to any other origin. Data and blob URLs ask nobody. */
  get offOrigin() {
    return this.requests.filter((url) => {
      const { protocol, origin } = new URL(url);
      return protocol !== 'data:' && protocol !== 'blob:' && origin !== this.#origin;
    });
  }

  /** Fails when there was an error or a request off the origin. */
  assertClean() {
    assert.deepEqual(this.errors, [], 'errors in the page');
    assert.deepEqual(this.offOrigin, [], 'requests off the origin');
  }
}
