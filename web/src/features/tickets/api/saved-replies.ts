// Requests of the saved replies.
import { queryOptions } from '@tanstack/react-query';

import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

export type SavedReply = { id: string; title: string; body: string };

export const savedReplyKeys = { all: ['saved-replies'] as const };

/** All saved replies, ordered by title, without pagination. */
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

type SavedReplyValues = Pick<SavedReply, 'title' | 'body'>;

/** Updates a saved reply, or creates one if the ID is null. */
export async function saveReply({
  id,
  values,
}: {
  id: string | null;
  values: SavedReplyValues;
}): Promise<void> {
  const replies = db().from('saved_replies');
  if (id === null) await replies.insert(values).throwOnError();
  else await replies.update(values).eq('id', id).select('id').single().throwOnError();
}

export async function deleteSavedReply({ id }: Pick<SavedReply, 'id'>): Promise<void> {
  await db().from('saved_replies').delete().eq('id', id).throwOnError();
}
