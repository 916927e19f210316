// Times of the portal's time zone, as fields for date and time contain them.
import { TZDate } from '@date-fns/tz';

import { serverConfig } from '~/lib/api/server-config';
import { parseDay, startOfDayUtc } from '~/lib/dates';

/** The instant of a local time of the portal, `yyyy-MM-ddTHH:mm`; undefined for another text. */
export function parseLocalTime(value: string): Date | undefined {
  const day = parseDay(value.slice(0, 10));
  const time = /^T(\d{2}):(\d{2})$/.exec(value.slice(10));
  if (day === undefined || !time) return undefined;
  const start = new TZDate(startOfDayUtc(day), serverConfig().time_zone);
  return new Date(start.setHours(Number(time[1]), Number(time[2])));
}
