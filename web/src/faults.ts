/** Whatever nobody caught ends in words on the page, never in a blank one. */

/** Calls `told` with every error and rejection that reaches the window. */
export function guard(told: (thrown: unknown) => void): void {
  window.addEventListener('error', (event) => {
    // The browser says so when a size changes while it is being handled; nothing is lost.
    if (event.message?.startsWith('ResizeObserver loop')) return;
    if (event.error !== undefined && event.error !== null) told(event.error);
    else if (event.message) told(new Error(event.message));
  });
  window.addEventListener('unhandledrejection', (event) => told(event.reason));
}
