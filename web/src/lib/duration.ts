// Durations for people.
import { pluralize } from './format';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Durations from here on are given in days. */
const DAYS_FROM_MS = 2 * DAY_MS;

/** Formats a duration in its largest sensible unit, rounded down: `12 min`, `5 h`, `3 dias`. */
export function formatDuration(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAYS_FROM_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return pluralize(Math.floor(ms / DAY_MS), 'dia', 'dias');
}
