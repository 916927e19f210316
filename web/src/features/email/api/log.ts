// Requests of the e-mail log: queued, sent and failed e-mails.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { AttentionList } from '~/features/dashboard/api';
import type { EmailStatus, SmtpStatus, OutboxRow } from '~/lib/api/database';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';

/** An e-mail. A notification that became part of another e-mail has the state of that one. */
export type Email = OutboxRow & { digest: Pick<OutboxRow, 'state' | 'last_error' | 'attempts'> | null };
export type EmailLogFilters = { state: EmailStatus | null; recipient: string };

export const emailKeys = { all: ['outbox'] as const };

const PREVIEW_COUNT = 5;
/** Polling interval while e-mails are queued, in milliseconds. */
export const POLL_INTERVAL = 5_000;
/** Time after which a due e-mail counts as stuck, in milliseconds. */
const MAX_DELAY = 2 * 60_000;

/** E-mails, newest first, keyset-paginated, so that new e-mails do not shift the pages. */
export function emailLogQuery({ state, recipient }: EmailLogFilters) {
  const term = recipient.trim();
  return infiniteQueryOptions({
    queryKey: [...emailKeys.all, 'list', state, term],
    async queryFn({ pageParam: last, signal }): Promise<Email[]> {
      let query = db().from('outbox').select('*');
      if (state !== null) query = query.eq('state', state);
      if (term !== '') query = query.ilike('recipient', ilikePattern(term));
      if (last) {
        const [at, id] = [quoteFilterValue(last.created_at), quoteFilterValue(last.id)];
        query = query.or(`created_at.lt.${at},and(created_at.eq.${at},id.lt.${id})`);
      }
      const { data } = await query
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(PAGE_SIZE)
        .abortSignal(signal)
        .throwOnError();
      return addDigests(data, signal);
    },
    initialPageParam: null as Pick<Email, 'id' | 'created_at'> | null,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.flat().some((mail) => ['sending', 'queued'].includes((mail.digest ?? mail).state))
        ? POLL_INTERVAL
        : false,
    meta: { errorToast: { title: 'Erro ao buscar e-mails' } },
  });
}

/** Adds the e-mails of which notifications became part. */
async function addDigests(mails: OutboxRow[], signal: AbortSignal): Promise<Email[]> {
  const ids = new Set(mails.flatMap(({ digest_id }) => digest_id ?? []));
  if (ids.size === 0) return mails.map((mail) => ({ ...mail, digest: null }));
  const { data } = await db()
    .from('outbox')
    .select('id,state,last_error,attempts')
    .in('id', [...ids])
    .abortSignal(signal)
    .throwOnError();
  const digests = new Map(data.map((digest) => [digest.id, digest]));
  return mails.map((mail) => ({ ...mail, digest: digests.get(mail.digest_id ?? '') ?? null }));
}

export type UnsentEmail = Pick<Email, 'id' | 'recipient' | 'created_at' | 'state' | 'next_attempt_at'>;

/** Failed e-mails, and queued ones that are stuck: a first attempt failed, or they are overdue. */
export function unsentEmailsQuery() {
  return queryOptions({
    queryKey: [...emailKeys.all, 'unsent'],
    async queryFn({ signal }): Promise<AttentionList<UnsentEmail>> {
      const overdue = quoteFilterValue(new Date(Date.now() - MAX_DELAY).toISOString());
      const { data, count } = await db()
        .from('outbox')
        .select('id,recipient,created_at,state,next_attempt_at', { count: 'exact' })
        .or(`state.eq.failed,and(state.eq.queued,or(attempts.gt.0,next_attempt_at.lt.${overdue}))`)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .throwOnError();
      return { rows: data, count: count ?? data.length };
    },
    meta: { errorToast: { title: 'Erro ao buscar pendências' } },
  });
}

/** State of the SMTP configuration and of the e-mail queue. */
export function smtpStatusQuery() {
  return queryOptions({
    queryKey: [...emailKeys.all, 'status'],
    async queryFn({ signal }): Promise<SmtpStatus> {
      const { data } = await db().rpc('mail_status', {}).abortSignal(signal).throwOnError();
      return data;
    },
    refetchInterval: ({ state: { data } }) => (data && data.waiting > 0 ? POLL_INTERVAL : false),
  });
}

/** Whether e-mails wait that should have left: the server is down, or they are overdue. */
export function isStuck({ configured, waiting, retrying, next_attempt_at, last_error }: SmtpStatus): boolean {
  if (waiting === 0) return false;
  const isOverdue = next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() - MAX_DELAY;
  return !configured || last_error !== null || retrying > 0 || isOverdue;
}

/** Returns a failed or canceled e-mail to the queue. A queued one is sent next, whatever it waits for. */
export async function resendEmail({ id }: { id: string }): Promise<void> {
  await setState(id, 'queued');
}

export async function cancelEmail({ id }: { id: string }): Promise<void> {
  await setState(id, 'cancelled');
}

async function setState(id: string, state: EmailStatus): Promise<void> {
  await db().from('outbox').update({ state }).eq('id', id).select('id').single().throwOnError();
}
