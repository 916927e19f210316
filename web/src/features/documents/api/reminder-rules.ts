// Requests of the rules for automatic reminders.
import { queryOptions } from '@tanstack/react-query';

import type { RuleRecipient } from '~/lib/api/database';
import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

export type ReminderRule = {
  id: string;
  /** Business days until the due date; negative after it. */
  days: number;
  /** The category of documents; empty for all. */
  category: string;
  /**
   * The reminded person: the client by mail or in the notification center, or the responsible member of the staff in
   * the notification center. Devices announce notifications.
   */
  recipient: RuleRecipient;
};

export const reminderRuleKeys = { all: ['reminder-rules'] as const };

/** All rules, the earliest reminder first. */
export function reminderRulesQuery() {
  return queryOptions({
    queryKey: reminderRuleKeys.all,
    queryFn: ({ signal }): Promise<ReminderRule[]> =>
      fetchAllPages((from, to) =>
        db()
          .from('reminder_rules')
          .select('id,days,category,recipient')
          .order('days', { ascending: false })
          .order('category')
          .order('recipient')
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      ),
    meta: { errorToast: { title: 'Erro ao buscar lembretes automáticos' } },
  });
}

export async function addReminderRule(rule: Omit<ReminderRule, 'id'>): Promise<void> {
  await db().from('reminder_rules').insert(rule).throwOnError();
}

export async function deleteReminderRule(id: string): Promise<void> {
  await db().from('reminder_rules').delete().eq('id', id).throwOnError();
}
