// The opening hours of the office in words.
import type { OpeningPeriod } from './api/database';

const shortNames = ['seg.', 'ter.', 'qua.', 'qui.', 'sex.', 'sáb.', 'dom.'];
const name = (weekday: number) => shortNames[weekday - 1] ?? '';

/** Lines as in `seg. a sex.: 08:00–12:00 e 13:00–18:00`. Days in a row with the same hours share a line. */
export function describeOpeningHours(periods: readonly OpeningPeriod[]): string[] {
  const hoursOf = (weekday: number) =>
    periods
      .filter((period) => period.weekday === weekday)
      .map(({ opens, closes }) => `${opens}–${closes}`)
      .toSorted()
      .join(' e ');
  const lines: { first: number; last: number; hours: string }[] = [];
  for (let weekday = 1; weekday <= 7; weekday += 1) {
    const hours = hoursOf(weekday);
    const line = lines.at(-1);
    if (line && line.last === weekday - 1 && line.hours === hours) line.last = weekday;
    else if (hours !== '') lines.push({ first: weekday, last: weekday, hours });
  }
  return lines.map(({ first, last, hours }) => {
    const days =
      first === last ? name(first) : `${name(first)} ${last - first > 1 ? 'a' : 'e'} ${name(last)}`;
    return `${days}: ${hours}`;
  });
}
