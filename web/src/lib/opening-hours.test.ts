import { expect, test } from 'vitest';

import { describeOpeningHours } from './opening-hours';

const period = (weekday: number, opens: string, closes: string) => ({ weekday, opens, closes });

test('days with the same hours share a line', () => {
  const week = [1, 2, 3, 4].flatMap((day) => [period(day, '13:00', '18:00'), period(day, '08:00', '12:00')]);
  expect(describeOpeningHours([...week, period(5, '08:00', '12:00'), period(6, '08:00', '12:00')])).toEqual([
    'seg. a qui.: 08:00–12:00 e 13:00–18:00',
    'sex. e sáb.: 08:00–12:00',
  ]);
  expect(describeOpeningHours([period(1, '08:00', '12:00'), period(3, '08:00', '12:00')])).toEqual([
    'seg.: 08:00–12:00',
    'qua.: 08:00–12:00',
  ]);
  expect(describeOpeningHours([])).toEqual([]);
});
