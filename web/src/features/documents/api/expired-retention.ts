// Documents whose retention period has expired and that the office should delete.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { getNextOffset, PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

import { type AdminDocumentSummary, deleteDocument, withDisplayNames } from './admin-documents';
import { documentKeys } from './documents';
import { fetchAllIds, type Removal, removeInBatches } from './removal';
import { purgeBatch } from './trash';

export type RetentionExpiredDocument = AdminDocumentSummary & {
  retention_expired_at: string | null;
  /** Whether the server deletes the document automatically. */
  autoDelete: boolean;
};

const failure = { title: 'Erro ao buscar documentos' };

/** Documents with expired retention, earliest first. Documents under legal hold are excluded. */
export function retentionExpiredQuery() {
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'expired-retention'],
    async queryFn({ pageParam, signal }): Promise<RetentionExpiredDocument[]> {
      const { data } = await db()
        .from('documents')
        .select(
          'id,name,type,file_url,retention_expired_at,folders(name,auto_delete),clients(email,user_metadata)',
        )
        .not('retention_expired_at', 'is', null)
        .is('legal_hold_reason', null)
        .order('retention_expired_at')
        .order('id')
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({ ...withDisplayNames(row), autoDelete: row.folders?.auto_delete ?? false }));
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    meta: { errorToast: failure },
  });
}

export function retentionExpiredCountQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'expired-retention-count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('documents')
        .select('*', { count: 'exact', head: true })
        .not('retention_expired_at', 'is', null)
        .is('legal_hold_reason', null)
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { errorToast: failure },
  });
}

/** Deletes a document for good: the period for which the office may keep it is over. */
export async function discardDocument({ id }: { id: string }): Promise<void> {
  await deleteDocument({ id });
  await purgeBatch([id]);
}

/**
 * Deletes all documents with expired retention for good, including pages of the list that are not loaded. Those whose
 * retention expires meanwhile stay.
 */
export async function discardAllRetentionExpired(): Promise<Removal> {
  const { data } = await db()
    .from('documents')
    .select('retention_expired_at')
    .not('retention_expired_at', 'is', null)
    .is('legal_hold_reason', null)
    .order('retention_expired_at', { ascending: false })
    .limit(1)
    .throwOnError();
  const newest = data[0]?.retention_expired_at;
  if (newest === undefined || newest === null) return { count: 0 };
  const ids = await fetchAllIds((after, limit) => {
    const query = db().from('documents').select('id').lte('retention_expired_at', newest);
    const page = after === undefined ? query : query.gt('id', after);
    return page.is('legal_hold_reason', null).order('id').limit(limit).throwOnError();
  });
  return removeInBatches(ids, async (batch) => {
    // The filters leave out documents that meanwhile have a legal hold or a longer retention period.
    const deleted = await db()
      .from('documents')
      .delete()
      .in('id', batch)
      .lte('retention_expired_at', newest)
      .is('legal_hold_reason', null)
      .select('id')
      .throwOnError();
    await purgeBatch(deleted.data.map(({ id }) => id));
    return deleted.data.length;
  });
}
