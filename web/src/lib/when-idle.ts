/** Time after which work begins even if the page is busy, in milliseconds. */
const MAX_DELAY_MS = 2_000;
/** Delay in Safari, which has no idle callbacks, in milliseconds. */
const FALLBACK_DELAY_MS = 200;

/** Runs work when the browser is idle, after what the visitor waits for. */
export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work, { timeout: MAX_DELAY_MS });
  else setTimeout(work, FALLBACK_DELAY_MS);
}
