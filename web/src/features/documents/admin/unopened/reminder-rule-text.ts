import type { ReminderRule } from '~/features/documents/api/reminder-rules';
// Words for the rules of automatic reminders.
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import { pluralize } from '~/lib/format';

/** A rule as a sentence: when a reminder leaves, and for which documents. */
export function describeReminderRule({ days, category }: ReminderRule): string {
  const distance = pluralize(Math.abs(days), 'dia útil', 'dias úteis');
  const when = days === 0 ? 'No dia do vencimento' : days > 0 ? `${distance} antes` : `${distance} depois`;
  return `${when} · ${category === '' ? 'todos os documentos' : (CATEGORY_NAMES[category] ?? category)}`;
}
