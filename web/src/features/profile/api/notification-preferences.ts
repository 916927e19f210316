// Requests of the notification preferences: one row per disabled topic.
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
  try {
    await table.insert({ topic }).throwOnError();
  } catch (error) {
    // A unique violation means that another tab has already disabled the topic.
    if (getErrorInfo(error).code !== '23505') throw error;
  }
}
