// Which mails a person does not want: a row for each topic that is switched off.
import { queryOptions } from '@tanstack/react-query';

import type { NotificationTopic } from '~/lib/api/database';
import { getErrorInfo } from '~/lib/api/errors';
import { db } from '~/lib/api/postgrest';

export const notificationPreferenceKeys = { all: ['muted-topics'] as const };

export function notificationPreferencesQuery() {
  return queryOptions({
    queryKey: notificationPreferenceKeys.all,
    async queryFn({ signal }): Promise<NotificationTopic[]> {
      const { data } = await db().from('muted_topics').select('topic').abortSignal(signal).throwOnError();
      return data.map(({ topic }) => topic);
    },
  });
}

export async function setNotificationEnabled({
  topic,
  wanted: enabled,
}: {
  topic: NotificationTopic;
  wanted: boolean;
}): Promise<void> {
  const table = db().from('muted_topics');
  if (enabled) {
    await table.delete().eq('topic', topic).throwOnError();
    return;
  }
  const { error } = await table.insert({ topic });
  // Switched off already, in another tab: that is what was asked for.
  if (error && getErrorInfo(error).code !== '23505') throw error;
}
