// Documents whose folders keep them no longer: what the office is asked to discard.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { nextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { rest } from '~/lib/api/postgrest';

import { type DocumentOfClient, named } from './admin-documents';
import { documentKeys } from './documents';

export type OutlivedDocument = DocumentOfClient & {
  outlived_at: string | null;
  /** Whether it goes by itself. */
  discards: boolean;
};

const failure = { title: 'Erro ao buscar documentos' };

/** What has been there longest comes first. What a legal hold keeps is not among them. */
export function outlivedDocumentsQuery() {
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'outlived'],
    async queryFn({ pageParam, signal }): Promise<OutlivedDocument[]> {
      const { data } = await rest()
        .from('documents')
        .select('id,name,type,file_url,outlived_at,folders(name,discards),clients(email,user_metadata)')
        .not('outlived_at', 'is', null)
        .is('hold_reason', null)
        .order('outlived_at')
        .order('id')
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({ ...named(row), discards: row.folders?.discards ?? false }));
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    meta: { failure },
  });
}

export function outlivedCountQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'outlived-count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await rest()
        .from('documents')
        .select('*', { count: 'exact', head: true })
        .not('outlived_at', 'is', null)
        .is('hold_reason', null)
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { failure },
  });
}

/** All that the list shows, and what comes after it. */
export async function discardAll(): Promise<void> {
  await rest()
    .from('documents')
    .delete()
    .not('outlived_at', 'is', null)
    .is('hold_reason', null)
    .throwOnError();
}
