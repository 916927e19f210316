// Dates as a Brazilian office reads them: always in the portal's zone, whatever zone the browser is in.
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

/** A calendar day, `yyyy-MM-dd`, with no time and no zone. */
export type Day = string;

const SOON_DAYS = 7;

// Asking `Intl` for them costs a phone a tenth of the home page.
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

/** Made once, and only where it is needed: it costs a phone more than writing a hundred dates. */
let relative: Intl.RelativeTimeFormat | undefined;

/** `21/11/2026`; 'N/A' when missing, 'Data inválida' when it is no date. */
export function formatDate(value: string | null | undefined): string {
  return formatOrFallback(value, (date) => lightFormat(date, 'dd/MM/yyyy'));
}

/** `21 de novembro de 2026`. */
export function formatLongDate(value: string | null | undefined): string {
  return formatOrFallback(
    value,
    (date) => `${lightFormat(date, 'dd')} de ${MONTHS[date.getMonth()]} de ${lightFormat(date, 'yyyy')}`,
  );
}

/** `21/11/2026 às 09:30`. */
export function formatDateTime(value: string | null | undefined): string {
  return formatOrFallback(value, (date) => lightFormat(date, "dd/MM/yyyy 'às' HH:mm"));
}

/** The zone-less local time that a new ticket carries. */
export function toTicketTimestamp(now: Date): string {
  return lightFormat(toPortalZone(now), 'yyyy-MM-dd HH:mm:ss');
}

export function toDay(value: string | Date): Day {
  return lightFormat(toPortalZone(value), 'yyyy-MM-dd');
}

export function today(): Day {
  return toDay(new Date());
}

/** The given day if it is a real one, else nothing. */
export function parseDay(value: string | null | undefined): Day | undefined {
  if (!value || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  return isValid(toPortalZone(value)) && toDay(value) === value ? value : undefined;
}

/** The instant at which a day begins in the portal's zone, as the table interface wants it. */
export function startOfDayUtc(day: Day): string {
  return new Date(startOfDay(toPortalZone(day)).getTime()).toISOString();
}

export function addDaysToDay(day: Day, days: number): Day {
  return toDay(addDays(toPortalZone(day), days));
}

/** The first day of the month that a day lies in. */
export function startOfMonth(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}

export function endOfMonth(day: Day): Day {
  return toDay(lastDayOfMonth(toPortalZone(day)));
}

/** The days that separate today from a date: negative when it lies behind. */
export function daysUntil(value: string, now = new Date()): number {
  return differenceInCalendarDays(toPortalZone(value), toPortalZone(now));
}

export type Expiry = 'none' | 'expired' | 'today' | 'soon' | 'later';

/** A document is expired when its expiry is not after now. */
export function expiryOf(expiresAt: string | null, now = new Date()): Expiry {
  if (!expiresAt) return 'none';
  const instant = toPortalZone(expiresAt);
  if (!isValid(instant)) return 'none';
  if (instant.getTime() <= now.getTime()) return 'expired';
  const days = daysUntil(expiresAt, now);
  if (days === 0) return 'today';
  return days <= SOON_DAYS ? 'soon' : 'later';
}

/** The window of the home page: after now, and not after seven days from now. */
export function expiringSoonRange(now = new Date()): { after: string; until: string } {
  return { after: now.toISOString(), until: addDays(now, SOON_DAYS).toISOString() };
}

/** `hoje`, `amanhã`, `em 3 dias`, `há 2 dias`: a hint beside a date, never instead of it. */
export function relativeDay(value: string, now = new Date()): string {
  relative ??= new Intl.RelativeTimeFormat('pt-BR', { numeric: 'auto' });
  return relative.format(daysUntil(value, now), 'day');
}

/** A `Date` in the portal's zone. A date without a time means that calendar day there, not at Greenwich. */
export function toPortalZone(value: string | Date): TZDate {
  const zone = serverConfig().time_zone;
  if (typeof value !== 'string') return new TZDate(value, zone);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (day) return new TZDate(Number(day[1]), Number(day[2]) - 1, Number(day[3]), zone);
  return new TZDate(value, zone);
}

function formatOrFallback(value: string | null | undefined, write: (date: TZDate) => string): string {
  if (!value) return 'N/A';
  const date = toPortalZone(value);
  return isValid(date) ? write(date) : 'Data inválida';
}
