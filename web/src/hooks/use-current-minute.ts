// The current minute as state. Components that show relative dates or due dates render again every minute.
import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;

/** The number of minutes since the Unix epoch. */
export function useCurrentMinute(): number {
  return useSyncExternalStore(subscribe, minuteNow);
}

function minuteNow(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

function subscribe(listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS));
  };
  const tick = () => {
    listener();
    wait();
  };
  wait();
  // Browsers throttle timers of hidden tabs, so a tab updates as soon as it becomes visible.
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}
