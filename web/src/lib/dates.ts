// Dates in the portal's time zone, independent of the browser's time zone.
import { TZDate } from '@date-fns/tz';
import {
  addDays,
  differenceInCalendarDays,
  isValid,
  lastDayOfMonth,
  lightFormat,
  startOfDay,
} from 'date-fns';

import { serverConfig } from '~/lib/api/server-config';

/** A calendar day, `yyyy-MM-dd`, without time and time zone. */
export type Day = string;

export const SOON_DAYS = 7;

// `Intl.DateTimeFormat` is avoided because its first use is slow on phones.
const MONTHS = [
  'janeiro',
  'fevereiro',
  'março',
  'abril',
  'maio',
  'junho',
  'julho',
  'agosto',
  'setembro',
  'outubro',
  'novembro',
  'dezembro',
];

/** Created on first use, because the constructor is slow on phones. */
let relativeTimeFormat: Intl.RelativeTimeFormat | undefined;

/** `21/11/2026`; 'N/A' if missing, 'Data inválida' if invalid. */
export const formatDate = remember((date) => lightFormat(date, 'dd/MM/yyyy'));

/** `21 de novembro de 2026`. */
export const formatLongDate = remember(
  (date) => `${lightFormat(date, 'dd')} de ${MONTHS[date.getMonth()]} de ${lightFormat(date, 'yyyy')}`,
);

/** `21/11/2026 às 09:30`. */
export const formatDateTime = remember((date) => lightFormat(date, "dd/MM/yyyy 'às' HH:mm"));

/** `21/11/2026 09:30`, which spreadsheets read as a time. */
export const formatSpreadsheetTime = remember((date) => lightFormat(date, 'dd/MM/yyyy HH:mm'));

/** The local time of a new ticket, without a time zone. */
export function toTicketTimestamp(now: Date): string {
  return lightFormat(toPortalZone(now), 'yyyy-MM-dd HH:mm:ss');
}

export function toDay(value: string | Date): Day {
  return lightFormat(toPortalZone(value), 'yyyy-MM-dd');
}

export function today(): Day {
  return toDay(new Date());
}

/** Validates a calendar day. */
export function parseDay(value: string | null | undefined): Day | undefined {
  if (!value || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  return isValid(toPortalZone(value)) && toDay(value) === value ? value : undefined;
}

/** The start of a day in the portal's time zone, as an ISO 8601 timestamp in UTC. */
export function startOfDayUtc(day: Day): string {
  return new Date(startOfDay(toPortalZone(day)).getTime()).toISOString();
}

export function addDaysToDay(day: Day, days: number): Day {
  return toDay(addDays(toPortalZone(day), days));
}

export function startOfMonth(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}

export function endOfMonth(day: Day): Day {
  return toDay(lastDayOfMonth(toPortalZone(day)));
}

/** The number of calendar days from `now` to a date; negative if the date is in the past. */
export function daysUntil(value: string, now = new Date()): number {
  return differenceInCalendarDays(toPortalZone(value), toPortalZone(now));
}

export type Expiry = 'none' | 'expired' | 'today' | 'soon' | 'later';

/** Classifies an expiry date. A date equal to `now` is expired; `soon` is within `SOON_DAYS`. */
export function expiryOf(expiresAt: string | null, now = new Date()): Expiry {
  if (!expiresAt) return 'none';
  const instant = toPortalZone(expiresAt);
  if (!isValid(instant)) return 'none';
  if (instant.getTime() <= now.getTime()) return 'expired';
  const days = daysUntil(expiresAt, now);
  if (days === 0) return 'today';
  return days <= SOON_DAYS ? 'soon' : 'later';
}

/** The range of expiry dates that the home page lists: from `now` (exclusive) to `SOON_DAYS` later (inclusive). */
export function expiringSoonRange(now = new Date()): { after: string; until: string } {
  return { after: now.toISOString(), until: addDays(now, SOON_DAYS).toISOString() };
}

/** `hoje`, `amanhã`, `em 3 dias`, `há 2 dias`. The interface shows it beside the date, never instead of it. */
export function relativeDay(value: string, now = new Date()): string {
  relativeTimeFormat ??= new Intl.RelativeTimeFormat('pt-BR', { numeric: 'auto' });
  return relativeTimeFormat.format(daysUntil(value, now), 'day');
}

/** A `Date` in the portal's time zone. A date without a time is a calendar day in that zone, not in UTC. */
function toPortalZone(value: string | Date): TZDate {
  const zone = serverConfig().time_zone;
  if (typeof value !== 'string') return new TZDate(value, zone);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (day) return new TZDate(Number(day[1]), Number(day[2]) - 1, Number(day[3]), zone);
  return new TZDate(value, zone);
}

/** A formatter that keeps its results, since each render of a list formats the same moments. */
function remember(format: (date: TZDate) => string): (value: string | null | undefined) => string {
  const known = new Map<string, string>();
  return (value) => {
    if (!value) return 'N/A';
    let text = known.get(value);
    if (text === undefined) {
      const date = toPortalZone(value);
      text = isValid(date) ? format(date) : 'Data inválida';
      known.set(value, text);
    }
    return text;
  };
}
