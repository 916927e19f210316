// Document queries of the client portal.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getNextOffset, PAGE_SIZE, fetchAllPages } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { addDaysToDay, type Day, expiringSoonRange, startOfDayUtc } from '~/lib/dates';
import { accentInsensitiveRegex } from '~/lib/text-search';
import { isUuid } from '~/lib/uuid';

import type { ApprovableDocument } from './approvals';
import { PAYMENT_COLUMNS, type PaymentDetails } from './payment-details';

export type DocumentSummary = {
  id: string;
  name: string;
  type: string;
  created_at: string;
  expires_at: string | null;
};

/** Document of a folder, with a flag for its read receipt. */
export type FolderDocument = DocumentSummary & {
  uploaded_at: string | null;
  file_url: string | null;
  status: string;
  opened: boolean;
  document_payments: { id: string }[];
};

export type DocumentDetail = DocumentSummary & {
  folder_id_supabase: string;
  status: string;
  file_url: string | null;
  size: number | null;
  folders: { name: string } | null;
} & PaymentDetails &
  ApprovableDocument;

/** Fields of a document in the expiry lists. */
export type ExpiringDocument = {
  id: string;
  name: string;
  type: string;
  file_url: string | null;
  expires_at: string | null;
  status: string;
} & PaymentDetails;

const SUMMARY_COLUMNS = 'id,name,type,created_at,expires_at';
const UPCOMING_LIMIT = 5;
const SOON_LIMIT = 10;

export const documentKeys = { all: ['documents'] as const };

export function documentCountQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await db()
        .from('documents')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** Documents of a folder, newest first, paginated. */
export function folderDocumentsQuery(folderId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...documentKeys.all, 'folder', folderId, search.trim()],
    async queryFn({ pageParam, signal }): Promise<FolderDocument[]> {
      let query = db()
        .from('documents')
        .select(
          `${SUMMARY_COLUMNS},uploaded_at,file_url,status,document_receipts(count),document_payments(id)`,
        )
        .eq('folder_id_supabase', folderId);
      if (search.trim() !== '') query = query.regexIMatch('name', accentInsensitiveRegex(search));
      const { data } = await query
        .order('uploaded_at', { ascending: false, nullsFirst: false })
        .order('id', { ascending: false })
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError();
      return data.map(({ document_receipts: receipts, ...document }) => ({
        ...document,
        opened: (receipts[0]?.count ?? 0) > 0,
      }));
    },
    initialPageParam: 0,
    getNextPageParam: getNextOffset,
    placeholderData: keepPreviousData,
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** The document, or null if it does not exist or belongs to another client. */
export function documentQuery(id: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'one', id],
    async queryFn({ signal }): Promise<DocumentDetail | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('documents')
        .select(
          `${SUMMARY_COLUMNS},folder_id_supabase,status,file_url,size,folders(name),approval_request,document_approvals(file_url,outcome,reason,created_at),${PAYMENT_COLUMNS}`,
        )
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data;
    },
    // The file must not change under a person who is about to answer about it.
    meta: { errorToast: portalLoadErrorToast, isLive: false },
  });
}

/** A document is unread if it has a released file, was uploaded after the last visit began and has no read receipt. */
export function isUnread(document: FolderDocument, lastVisit: string | null): boolean {
  const { opened, file_url: path, status, uploaded_at: uploadedAt } = document;
  if (opened || path === null || status === 'pending' || uploadedAt === null) return false;
  return lastVisit === null || Date.parse(uploadedAt) > Date.parse(lastVisit);
}

/** Documents that expire within seven days, ordered by expiry, with their total count. */
export function expiringSoonQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'soon'],
    async queryFn({ signal }): Promise<{ documents: ExpiringDocument[]; total: number }> {
      const { after, until } = expiringSoonRange();
      const { data, count } = await selectExpiring({ count: 'exact' })
        .gt('expires_at', after)
        .lte('expires_at', until)
        .limit(SOON_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return { documents: data, total: count ?? data.length };
    },
    // The result depends on the current time.
    refetchInterval: 60_000,
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** The next five documents to expire. */
export function upcomingQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'upcoming'],
    async queryFn({ signal }): Promise<ExpiringDocument[]> {
      const { data } = await selectExpiring()
        .gt('expires_at', new Date().toISOString())
        .limit(UPCOMING_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    // The result depends on the current time.
    refetchInterval: 60_000,
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** Documents that expire between two days, both inclusive. */
export function expiriesBetweenQuery(first: Day, last: Day) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'between', first, last],
    queryFn: ({ signal }): Promise<ExpiringDocument[]> =>
      fetchAllPages((from, to) =>
        selectExpiring()
          .gte('expires_at', startOfDayUtc(first))
          .lt('expires_at', startOfDayUtc(addDaysToDay(last, 1)))
          .range(from, to)
          .abortSignal(signal)
          .throwOnError(),
      ),
    meta: { errorToast: portalLoadErrorToast },
  });
}

function selectExpiring(options: { count?: 'exact' } = {}) {
  return db()
    .from('documents')
    .select(`id,name,type,file_url,expires_at,status,${PAYMENT_COLUMNS}`, options)
    .order('expires_at')
    .order('id');
}
