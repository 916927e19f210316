// Days without banking hours, and the last day to pay what is due on one.
import { type DayOffRule, serverConfig } from '~/lib/api/server-config';
import { addDaysToDay, type Day, formatDate, toDay } from '~/lib/dates';

const SATURDAY = 6;

/** The name of a holiday that the server named. */
export function holidayName(day: Day): string | undefined {
  return serverConfig().holidays.find(({ on }) => on === day)?.name;
}

/** Why a day is no business day; `undefined` for a business day. */
function describeDayOff(day: Day): string | undefined {
  const name = holidayName(day);
  if (name !== undefined) return `feriado (${name})`;
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
  if (weekday === 0) return 'domingo';
  return weekday === SATURDAY ? 'sábado' : undefined;
}

/** The rule of a category of documents. */
export function dayOffRule(category: string | null): DayOffRule | undefined {
  return category === null ? undefined : serverConfig().day_off_rules[category];
}

/** The last day to pay what is due on a day, by the rule for days off. */
function paymentDay(due: Day, rule: DayOffRule): Day {
  let day = due;
  while (describeDayOff(day) !== undefined) day = addDaysToDay(day, rule === 'later' ? 1 : -1);
  return day;
}

/** Whether a document that has expired is still paid in time, because its due date moved to a later day. */
export function isPaidInTime(expiresAt: string | null, category: string | null, now = new Date()): boolean {
  return (
    expiresAt !== null &&
    dayOffRule(category) === 'later' &&
    paymentDay(toDay(expiresAt), 'later') >= toDay(now)
  );
}

/** Sentences about a due date on a day off; `undefined` for other due dates. */
export function describeDueDate(
  expiresAt: string | null,
  category: string | null,
  now = new Date(),
): string | undefined {
  if (expiresAt === null) return undefined;
  const due = toDay(expiresAt);
  const reason = describeDayOff(due);
  if (reason === undefined) return undefined;
  const rule = dayOffRule(category);
  const day = `${formatDate(due).slice(0, 5)} é ${reason}.`;
  if (rule === undefined) return `${day} Veja no documento se o prazo antecipa ou prorroga.`;
  const last = paymentDay(due, rule);
  const until = `${last < toDay(now) ? 'era' : 'pague'} até ${formatDate(last)}.`;
  return `${day} O prazo ${rule === 'later' ? 'prorroga' : 'antecipa'}: ${until}`;
}
