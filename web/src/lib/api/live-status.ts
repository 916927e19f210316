// Whether the server announces changes to this page. While it does, polling is only a safeguard.
import { queryClient } from './query-client';

/** Interval of polling while the server announces changes, in milliseconds. */
const SAFEGUARD_MS = 5 * 60_000;

let live = false;

/** Sets whether the server announces changes. Observed queries choose their interval again. */
export function setLive(next: boolean): void {
  if (live === next) return;
  live = next;
  for (const query of queryClient.getQueryCache().getAll()) {
    for (const observer of query.observers) observer.setOptions(observer.options);
  }
}

/** A `refetchInterval`: `interval` milliseconds without announced changes, else `liveInterval`. */
export function pollEvery(interval: number, liveInterval = SAFEGUARD_MS): () => number {
  return () => (live ? liveInterval : interval);
}
