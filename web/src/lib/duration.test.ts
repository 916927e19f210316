import { expect, test } from 'vitest';

import { formatDuration } from './duration';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0 min'],
  [59.9 * MINUTE, '59 min'],
  [HOUR, '1 h'],
  [47.5 * HOUR, '47 h'],
  [48 * HOUR, '2 dias'],
  [24_000 * HOUR, '1.000 dias'],
])('a duration of %d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
