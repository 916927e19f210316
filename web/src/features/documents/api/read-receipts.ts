// Read receipts of documents and the unread state that derives from them.
import { queryOptions } from '@tanstack/react-query';

import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getImpersonation } from '~/lib/api/impersonation';
import { fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';

import { documentKeys } from './documents';

export type ReadReceipt = { documentId: string; action: 'opened' | 'downloaded' };

/** Query keys to invalidate after a receipt: unread markers in lists. The open document is excluded. */
export const unreadKeys = {
  folders: [...documentKeys.all, 'folder'],
  counts: [...documentKeys.all, 'new'],
};

/** Records a read receipt, except during impersonation. */
export async function recordReadReceipt({ documentId, action }: ReadReceipt): Promise<void> {
  if (getImpersonation()) return;
  await db().from('document_receipts').insert({ document_id: documentId, action }).throwOnError();
}

/** Start of the previous visit, null during the first visit. */
export function lastVisitQuery() {
  return queryOptions({
    queryKey: ['last-visit'],
    async queryFn({ signal }): Promise<string | null> {
      const { data } = await db()
        .from('clients')
        .select('last_visit_at')
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data?.last_visit_at ?? null;
    },
    staleTime: Infinity,
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** Number of unread documents per folder since the last visit. */
export function unreadCountsQuery(lastVisit: string | null) {
  return queryOptions({
    queryKey: [...unreadKeys.counts, lastVisit],
    async queryFn({ signal }): Promise<Map<string, number>> {
      const rows = await fetchAllPages((from, to) => {
        const query = db()
          .from('documents')
          .select('folder_id_supabase,document_receipts(count)')
          .not('file_url', 'is', null)
          .neq('status', 'pending')
          .order('uploaded_at')
          .order('id')
          .range(from, to)
          .abortSignal(signal);
        return (lastVisit === null ? query : query.gt('uploaded_at', lastVisit)).throwOnError();
      });
      const unseen = rows.filter(({ document_receipts: receipts }) => (receipts[0]?.count ?? 0) === 0);
      const counts = new Map<string, number>();
      for (const { folder_id_supabase: folder } of unseen) counts.set(folder, (counts.get(folder) ?? 0) + 1);
      return counts;
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}
