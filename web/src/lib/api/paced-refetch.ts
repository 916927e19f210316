// Refetches of queries after announced changes. Many changes cause few refetches: the pause after each refetch grows while
// changes continue, and with the time that the refetch took.
import { focusManager, hashKey, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** Delay of the first refetch, in which further changes gather. Milliseconds. */
const FIRST_DELAY_MS = 50;
/** The random part of the first delay, because one change may concern many browsers. Milliseconds. */
const SPREAD_MS = 200;
/** Delay of the next attempt while a query is being fetched. Milliseconds. */
const BUSY_DELAY_MS = 200;
/** Pause after a refetch, and its maximum while changes continue. Milliseconds. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;
/** The pause is at least this multiple of the time that the refetch took. */
const PAUSE_PER_DURATION = 5;

export type PacedRefetch = {
  /** Refetches the active queries below the key soon. */
  request: (queryKey: QueryKey) => void;
  stop: () => void;
};

/** The state of one key: it waits for its next refetch, or it pauses after one. */
type Pace = { isDue: boolean; pause: number; timer?: ReturnType<typeof setTimeout> };

/** A query that failed is read again by its button. */
const isLive = ({ meta, state }: Query) => meta?.isLive !== false && state.status !== 'error';

export function createPacedRefetch(client: QueryClient): PacedRefetch {
  const paces = new Map<string, Pace>();
  let isStopped = false;

  const schedule = (queryKey: QueryKey, pace: Pace, delay: number) => {
    if (!isStopped) pace.timer = setTimeout(() => void run(queryKey, pace), delay);
  };

  const run = async (queryKey: QueryKey, pace: Pace) => {
    if (!pace.isDue) {
      paces.delete(hashKey(queryKey));
      return;
    }
    // Data that are being read may be older than the change, and a page that is being loaded must not be lost.
    const filters = { queryKey, predicate: isLive };
    if (client.isFetching({ ...filters, type: 'active' }) > 0) return schedule(queryKey, pace, BUSY_DELAY_MS);
    pace.isDue = false;
    const start = performance.now();
    // A hidden window refetches when it becomes visible.
    await client.invalidateQueries({ ...filters, refetchType: focusManager.isFocused() ? 'active' : 'none' });
    const duration = performance.now() - start;
    schedule(queryKey, pace, Math.max(pace.pause, duration * PAUSE_PER_DURATION));
    pace.pause = Math.min(pace.pause * 2, MAX_PAUSE_MS);
  };

  return {
    request(queryKey) {
      const hash = hashKey(queryKey);
      const known = paces.get(hash);
      if (known) {
        known.isDue = true;
        return;
      }
      const pace: Pace = { isDue: true, pause: MIN_PAUSE_MS };
      paces.set(hash, pace);
      schedule(queryKey, pace, FIRST_DELAY_MS + Math.random() * SPREAD_MS);
    },
    stop() {
      isStopped = true;
      for (const { timer } of paces.values()) clearTimeout(timer);
      paces.clear();
    },
  };
}
