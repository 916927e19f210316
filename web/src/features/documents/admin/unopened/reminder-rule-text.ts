import type { ReminderRule } from '~/features/documents/api/reminder-rules';
// Words for the rules of automatic reminders.
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import type { RuleRecipient } from '~/lib/api/database';
import { pluralize } from '~/lib/format';

/** The category of rules that apply to requests only. */
export const REQUESTS = 'request';

/** The recipients of a rule. */
export const recipients = {
  client: 'O cliente, por e-mail',
  client_notification: 'O cliente, por notificação',
  staff: 'Responsável, em Notificações',
} as const satisfies Record<RuleRecipient, string>;

const endings = {
  client: '',
  client_notification: ' · por notificação',
  staff: ' · avisa a equipe',
} as const satisfies Record<RuleRecipient, string>;

/** A rule as a sentence: when a reminder leaves, for what, and how if not to the client by mail. */
export function describeReminderRule({ days, category, recipient }: ReminderRule): string {
  const distance = pluralize(Math.abs(days), 'dia útil', 'dias úteis');
  const when = days === 0 ? 'No dia do vencimento' : days > 0 ? `${distance} antes` : `${distance} depois`;
  const names: Readonly<Record<string, string>> = {
    ...CATEGORY_NAMES,
    '': 'documentos e solicitações',
    [REQUESTS]: 'solicitações',
  };
  return `${when} · ${names[category] ?? category}${endings[recipient]}`;
}
