// Files of the inbox: lists, review and publication.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { session } from '~/features/auth/session';
import { type Client, toClient } from '~/features/clients/api/clients';
import { batches } from '~/lib/api/batches';
import type { ClientRow, DocumentRow, InboxFileRow, InboxFindings, ReviewGroup } from '~/lib/api/database';
import { pollEvery } from '~/lib/api/live-status';
import { uploadPersistently } from '~/lib/api/persistent-upload';
import { db } from '~/lib/api/postgrest';
import { queryClient, refetchChanged } from '~/lib/api/query-client';
import type { Day } from '~/lib/dates';
import { randomUuid } from '~/lib/uuid';

/** A file in a list. */
export type InboxFile = Pick<
  InboxFileRow,
  | 'id'
  | 'name'
  | 'file_url'
  | 'size'
  | 'mime_type'
  | 'created_at'
  | 'review_group'
  | 'problem'
  | 'doubts'
  | 'document_name'
  | 'folder_id_supabase'
  | 'category'
  | 'reference_month'
  | 'expires_at'
  | 'amount_cents'
  | 'payment_line'
  | 'pix_code'
  | 'duplicate_of_id'
  | 'duplicate_choice'
  | 'repeats_id'
  | 'repeats_kept'
  | 'publish_at'
  | 'document_id'
> & {
  client: Client | null;
  folder: string | null;
  /** The document that the file repeats, or null. */
  duplicate: RepeatedDocument | null;
  /** When the office withdrew the published document, or null. */
  withdrawn_at: string | null;
};

/** The values that are compared between a document and a file that repeats it. */
export type RepeatedDocument = Pick<
  DocumentRow,
  'category' | 'reference_month' | 'expires_at' | 'amount_cents' | 'size'
>;

/** The columns that a person may change. */
export type Review = Partial<
  Pick<
    InboxFileRow,
    | 'client_id'
    | 'folder_id_supabase'
    | 'document_name'
    | 'category'
    | 'reference_month'
    | 'amount_cents'
    | 'duplicate_choice'
    | 'repeats_kept'
  > & { expires_at: Day | null }
>;

export const inboxKeys = { all: ['inbox'] as const };

const countsKey = [...inboxKeys.all, 'counts'];

const PAGE = 100;
/** Maximum number of files in one URL. */
const BATCH_SIZE = 100;
/** Maximum number of files that the server publishes, or returns to the review, at once. */
const PUBLICATION_SIZE = 1000;
/** Interval of requests while the server reads files. Milliseconds. */
const READING_INTERVAL = 1500;
/** Interval of requests otherwise: colleagues work in the same inbox. Milliseconds. */
const IDLE_INTERVAL = 15_000;

const COLUMNS =
  'id,name,file_url,size,mime_type,created_at,review_group,problem,doubts,document_name,folder_id_supabase,category,reference_month,expires_at,amount_cents,payment_line,pix_code,duplicate_of_id,duplicate_choice,repeats_id,repeats_kept,publish_at,document_id,clients(id,email,user_metadata),folders(name),documents(category,reference_month,expires_at,amount_cents,size)';

const failure = { title: 'Erro ao buscar a caixa de entrada' };

export type InboxCounts = Record<ReviewGroup, number>;

const NO_FILES: InboxCounts = {
  reading: 0,
  recognized: 0,
  doubtful: 0,
  no_owner: 0,
  problem: 0,
  scheduled: 0,
  published: 0,
};

/** Number of files of each group. */
export function inboxCountsQuery() {
  return queryOptions({
    queryKey: countsKey,
    async queryFn({ signal }): Promise<InboxCounts> {
      const { data } = await db()
        .from('inbox_files')
        .select('review_group,count()')
        .abortSignal(signal)
        .overrideTypes<{ review_group: ReviewGroup; count: number }[], { merge: false }>()
        .throwOnError();
      const counts = {
        ...NO_FILES,
        ...Object.fromEntries(data.map(({ review_group, count }) => [review_group, count])),
      };
      // The lists change with the counts, which are read again while the server works.
      const known = queryClient.getQueryData<InboxCounts>(countsKey);
      if (known && JSON.stringify(known) !== JSON.stringify(counts))
        void queryClient.invalidateQueries({ queryKey: [...inboxKeys.all, 'list'] });
      return counts;
    },
    refetchInterval({ state: { data } }) {
      const isWorking = (data?.reading ?? 0) + (data?.scheduled ?? 0) > 0;
      const interval = isWorking ? READING_INTERVAL : IDLE_INTERVAL;
      // The server announces no change of their files to staff with assigned clients, because it depends on who added one.
      return session.get().user?.assignedClientsOnly ? interval : pollEvery(interval)();
    },
    meta: { errorToast: failure },
  });
}

/** Files of a group, oldest first, paginated. */
export function inboxFilesQuery(group: ReviewGroup) {
  return infiniteQueryOptions({
    queryKey: [...inboxKeys.all, 'list', group],
    queryFn: ({ pageParam, signal }) => fetchPage(group, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

async function fetchPage(group: ReviewGroup, offset: number, signal?: AbortSignal): Promise<InboxFile[]> {
  const ascending = group !== 'published';
  const request = db()
    .from('inbox_files')
    .select(COLUMNS)
    .eq('review_group', group)
    .order('created_at', { ascending })
    .order('id', { ascending })
    .range(offset, offset + PAGE - 1);
  const { data } = await (signal ? request.abortSignal(signal) : request).throwOnError();
  return toInboxFiles(data, signal);
}

/** A file, or null if it was discarded. It changes with the lists. */
export function inboxFileQuery(id: string) {
  return queryOptions({
    queryKey: [...inboxKeys.all, 'list', 'file', id],
    async queryFn({ signal }): Promise<InboxFile | null> {
      const { data } = await db()
        .from('inbox_files')
        .select(COLUMNS)
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data && ((await toInboxFiles([data], signal))[0] ?? null);
    },
  });
}

/** Reads all files of a group. The list of the group has all of them afterwards. */
export async function fetchAllInboxFiles(group: ReviewGroup): Promise<InboxFile[]> {
  const pages: InboxFile[][] = [];
  do pages.push(await fetchPage(group, pages.length * PAGE));
  while (pages.at(-1)?.length === PAGE);
  const { queryKey } = inboxFilesQuery(group);
  queryClient.setQueryData(queryKey, { pages, pageParams: pages.map((_, at) => at * PAGE) });
  // A request for the former pages may be under way, and files may have changed since the first page was read.
  void queryClient.invalidateQueries({ queryKey });
  return pages.flat();
}

/** The values that were read in a file. */
export function findingsQuery(id: string) {
  return queryOptions({
    queryKey: [...inboxKeys.all, 'findings', id],
    async queryFn({ signal }): Promise<InboxFindings | null> {
      const { data } = await db()
        .from('inbox_files')
        .select('findings')
        .eq('id', id)
        .abortSignal(signal)
        .single()
        .throwOnError();
      return data.findings;
    },
  });
}

/** Files that are published at the same time. */
export type Publication = { publish_at: string; count: number };

/** Maximum number of publications that the page announces. */
const MAX_PUBLICATIONS = 4;

/** The next scheduled publications, the earliest first. */
export function publicationsQuery() {
  return queryOptions({
    queryKey: [...inboxKeys.all, 'list', 'publications'],
    async queryFn({ signal }) {
      const { data } = await db()
        .from('inbox_files')
        .select('publish_at,count()')
        .eq('review_group', 'scheduled')
        .order('publish_at')
        .limit(MAX_PUBLICATIONS)
        .abortSignal(signal)
        .overrideTypes<Publication[], { merge: false }>()
        .throwOnError();
      return data;
    },
  });
}

/** The events of an upload, and the signal that ends it. */
type InboxUploadOptions = {
  /** Receives the fraction that has been sent, from 0 to 1. */
  onProgress: (progress: number) => void;
  /** Receives whether the upload waits for the network. */
  onWait: (isWaiting: boolean) => void;
  signal: AbortSignal;
};

/** Sends a file to the inbox. Resolves to false if the signal aborts the upload. */
export async function uploadToInbox(file: File, options: InboxUploadOptions): Promise<boolean> {
  const extension = /\.[a-z\d]{1,8}$/i.exec(file.name)?.[0].toLowerCase() ?? '';
  const path = `${randomUuid()}${extension}`;
  return uploadPersistently({ bucket: 'inbox', path, file, metadata: { name: file.name }, ...options });
}

export async function reviewFiles({
  ids,
  review,
}: {
  ids: readonly string[];
  review: Review;
}): Promise<void> {
  let changed = 0;
  await changeInBatches(ids, BATCH_SIZE, async (batch) => {
    const { data } = await db()
      .from('inbox_files')
      .update(review)
      .in('id', batch)
      .select('id')
      .throwOnError();
    changed += data.length;
  });
  // A colleague may have discarded them.
  if (changed === 0) throw Object.assign(new Error('no file was changed'), { code: 'PT404' });
}

export async function discardFiles(ids: readonly string[]): Promise<void> {
  await changeInBatches(ids, BATCH_SIZE, (batch) =>
    db().from('inbox_files').delete().in('id', batch).throwOnError(),
  );
}

/** Publishes files at a time, or after the time to undo it. */
export async function publishFiles({
  ids,
  at,
}: {
  ids: readonly string[];
  at: string | null;
}): Promise<void> {
  await changeInBatches(ids, PUBLICATION_SIZE, (batch) =>
    db().rpc('publish_inbox', { files: batch, at }).throwOnError(),
  );
}

/** Returns scheduled files to the review. */
export async function cancelPublication(files: readonly string[]): Promise<void> {
  await changeInBatches(files, PUBLICATION_SIZE, (batch) =>
    db().rpc('cancel_publication', { files: batch }).throwOnError(),
  );
}

/** Returns all files of a publication to the review. */
export async function cancelPublicationAt(at: string): Promise<void> {
  const ids: string[] = [];
  for (;;) {
    const { data } = await db()
      .from('inbox_files')
      .select('id')
      .eq('publish_at', at)
      .order('id')
      .range(ids.length, ids.length + PUBLICATION_SIZE - 1)
      .throwOnError();
    ids.push(...data.map(({ id }) => id));
    if (data.length < PUBLICATION_SIZE) break;
  }
  await cancelPublication(ids);
}

/** Changes files by several requests. After an error the lists show which of them were changed. */
async function changeInBatches(
  ids: readonly string[],
  size: number,
  change: (batch: string[]) => PromiseLike<unknown>,
): Promise<void> {
  try {
    for (const batch of batches(ids, size)) await change(batch);
  } catch (error) {
    void refetchChanged(inboxKeys.all);
    throw error;
  }
}

type ListedRow = Omit<InboxFile, 'client' | 'folder' | 'duplicate' | 'withdrawn_at'> & {
  clients: Pick<ClientRow, 'id' | 'email' | 'user_metadata'> | null;
  folders: { name: string } | null;
  documents: RepeatedDocument | null;
};

async function toInboxFiles(rows: readonly ListedRow[], signal?: AbortSignal): Promise<InboxFile[]> {
  const withdrawals = await fetchWithdrawals(
    rows.flatMap(({ document_id }) => document_id ?? []),
    signal,
  );
  return rows.map(({ clients, folders, documents, ...file }) => ({
    ...file,
    client: clients && toClient(clients),
    folder: folders?.name ?? null,
    duplicate: documents,
    withdrawn_at: withdrawals.get(file.document_id) ?? null,
  }));
}

/**
 * The times of withdrawal of up to `PAGE` documents. It is a request of its own, because the API has no relation from
 * `document_id`: an embedded `documents` is the document that the file repeats.
 */
async function fetchWithdrawals(
  documents: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string | null, string | null>> {
  if (documents.length === 0) return new Map();
  const request = db()
    .from('documents')
    .select('id,withdrawn_at')
    .in('id', documents)
    .not('withdrawn_at', 'is', null);
  const { data } = await (signal ? request.abortSignal(signal) : request).throwOnError();
  return new Map(data.map(({ id, withdrawn_at }) => [id, withdrawn_at]));
}
