/** Something went wrong that a person can do something about: what, and what to do. */
export class Failure extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.name = 'Failure';
    this.advice = advice;
  }
}

const RELOAD =
  'This is a fault of Stepscope, not of your log. Reload the page and try again; if it comes back, drop fewer ' +
  'epochs at once and report what is written here.';

/** Any thrown value as a failure with advice. */
export function failureFrom(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof RangeError || /memory|allocation/i.test(message)) {
    return new Failure(
      `The browser ran out of memory (${message})`,
      'Close other tabs, or drop one epoch folder instead of the whole hook directory.',
    );
  }
  return new Failure(message || 'Something failed without a word', RELOAD);
}
