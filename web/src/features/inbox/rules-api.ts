// Requests of the rules that the inbox learned from publications.
import { infiniteQueryOptions } from '@tanstack/react-query';

import { type Client, toClient } from '~/features/clients/api/clients';
import { inboxKeys } from '~/features/inbox/api';
import { db } from '~/lib/api/postgrest';

/** A decision that later files repeat: the folder of a category, or the client behind the name of a file. */
export type InboxRule = {
  id: string;
  kind: 'alias' | 'folder';
  /** The category, or the words of file names. */
  pattern: string;
  client: Client | null;
  folderId: string | null;
};

const PAGE_SIZE = 20;

/** The rules, newest first. */
export function inboxRulesQuery() {
  return infiniteQueryOptions({
    queryKey: [...inboxKeys.all, 'rules'],
    initialPageParam: 0,
    getNextPageParam: (last: readonly unknown[], _: unknown, offset: number) =>
      last.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
    async queryFn({ pageParam, signal }): Promise<InboxRule[]> {
      const { data } = await db()
        .from('inbox_rules')
        .select('id,kind,pattern,folder_id_supabase,clients(id,email,user_metadata)')
        .order('created_at', { ascending: false })
        .order('id')
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ clients, folder_id_supabase: folderId, ...rule }) => ({
        ...rule,
        folderId,
        client: clients && toClient(clients),
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar o que foi aprendido' } },
  });
}

export async function deleteInboxRule(id: string): Promise<void> {
  await db().from('inbox_rules').delete().eq('id', id).throwOnError();
}
