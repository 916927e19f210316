import type { ReminderRule } from '~/features/documents/api/reminder-rules';
// Words for the rules of automatic reminders.
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import { pluralize } from '~/lib/format';

/** The category of rules that apply to requests only. */
export const REQUESTS = 'request';

/** A rule as a sentence: when a reminder leaves, and for what. */
export function describeReminderRule({ days, category }: ReminderRule): string {
  const distance = pluralize(Math.abs(days), 'dia útil', 'dias úteis');
  const when = days === 0 ? 'No dia do vencimento' : days > 0 ? `${distance} antes` : `${distance} depois`;
  const names: Readonly<Record<string, string>> = {
    ...CATEGORY_NAMES,
    '': 'documentos e solicitações',
    [REQUESTS]: 'solicitações',
  };
  return `${when} · ${names[category] ?? category}`;
}
