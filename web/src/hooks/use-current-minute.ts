// The present minute. A screen that says something about time renders anew with it: a date falls due while it is
// looked at, and at midnight in the portal's zone every "hoje" is another day.
import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;

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
  // A hidden tab's timers sleep; what it shows is put right the moment it is looked at.
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}
