// Answers that the office gives often.
import { queryOptions } from '@tanstack/react-query';

import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

export type SavedReply = { id: string; title: string; body: string };

export const savedReplyKeys = { all: ['saved-replies'] as const };

/** All of them, by title: one is chosen from a list, and nobody writes thousands. */
export function savedRepliesQuery() {
  return queryOptions({
    queryKey: savedReplyKeys.all,
    queryFn: ({ signal }): Promise<SavedReply[]> =>
      fetchAllPages((from, to) =>
        db()
          .from('saved_replies')
          .select('id,title,body')
          .order('title')
          .order('id')
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      ),
    meta: { errorToast: { title: 'Erro ao buscar respostas prontas' } },
  });
}

type Words = Pick<SavedReply, 'title' | 'body'>;

/** Without an id it is a new one. */
export async function saveReply({ id, words }: { id: string | null; words: Words }): Promise<void> {
  const replies = db().from('saved_replies');
  if (id === null) await replies.insert(words).throwOnError();
  else await replies.update(words).eq('id', id).select('id').single().throwOnError();
}

export async function deleteSavedReply({ id }: Pick<SavedReply, 'id'>): Promise<void> {
  await db().from('saved_replies').delete().eq('id', id).throwOnError();
}
