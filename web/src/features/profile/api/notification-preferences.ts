// Which mails a person does not want: a row for each topic that is switched off.
import { queryOptions } from '@tanstack/react-query';

import type { Topic } from '~/lib/api/database.types';
import { failureOf } from '~/lib/api/errors';
import { rest } from '~/lib/api/postgrest';

export const mutedTopicKeys = { all: ['muted-topics'] as const };

export function mutedTopicsQuery() {
  return queryOptions({
    queryKey: mutedTopicKeys.all,
    async queryFn({ signal }): Promise<Topic[]> {
      const { data } = await rest().from('muted_topics').select('topic').abortSignal(signal).throwOnError();
      return data.map(({ topic }) => topic);
    },
  });
}

export async function setTopicWanted({ topic, wanted }: { topic: Topic; wanted: boolean }): Promise<void> {
  const table = rest().from('muted_topics');
  if (wanted) {
    await table.delete().eq('topic', topic).throwOnError();
    return;
  }
  const { error } = await table.insert({ topic });
  // Switched off already, in another tab: that is what was asked for.
  if (error && failureOf(error).code !== '23505') throw error;
}
