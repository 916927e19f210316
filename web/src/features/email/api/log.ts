// The mails of the portal: what waits, what left, what failed.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { Waiting } from '~/features/dashboard/api';
import type { MailState, MailStatus, OutboxRow } from '~/lib/api/database.types';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { rest } from '~/lib/api/postgrest';
import { containing, quoted } from '~/lib/api/postgrest-filters';

export type Mail = OutboxRow;
export type MailFilter = { state: MailState | null; recipient: string };

export const mailKeys = { all: ['outbox'] as const };

const SHOWN = 5;
/** How often mails under way are looked at again. */
const LOOK_AGAIN = 5_000;

/** Mails, newest first, a page at a time. Pages begin after a mail, so that those which come meanwhile move nothing. */
export function mailsQuery({ state, recipient }: MailFilter) {
  const term = recipient.trim();
  return infiniteQueryOptions({
    queryKey: [...mailKeys.all, 'list', state, term],
    async queryFn({ pageParam: last, signal }): Promise<Mail[]> {
      let query = rest().from('outbox').select('*');
      if (state !== null) query = query.eq('state', state);
      if (term !== '') query = query.ilike('recipient', containing(term));
      if (last) {
        const [at, id] = [quoted(last.created_at), quoted(last.id)];
        query = query.or(`created_at.lt.${at},and(created_at.eq.${at},id.lt.${id})`);
      }
      const { data } = await query
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(PAGE_SIZE)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    initialPageParam: null as Pick<Mail, 'id' | 'created_at'> | null,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.flat().some((mail) => mail.state === 'sending' || mail.state === 'queued')
        ? LOOK_AGAIN
        : false,
    meta: { failure: { title: 'Erro ao buscar e-mails' } },
  });
}

export type FailedMail = Pick<Mail, 'id' | 'recipient' | 'created_at'>;

export function failedMailsQuery() {
  return queryOptions({
    queryKey: [...mailKeys.all, 'failed'],
    async queryFn({ signal }): Promise<Waiting<FailedMail>> {
      const { data, count } = await rest()
        .from('outbox')
        .select('id,recipient,created_at', { count: 'exact' })
        .eq('state', 'failed')
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(SHOWN)
        .abortSignal(signal)
        .throwOnError();
      return { rows: data, count: count ?? data.length };
    },
    meta: { failure: { title: 'Erro ao buscar pendências' } },
  });
}

/** Whether mails can leave at all, and how they fare. */
export function mailStatusQuery() {
  return queryOptions({
    queryKey: [...mailKeys.all, 'status'],
    async queryFn({ signal }): Promise<MailStatus> {
      const { data } = await rest().rpc('mail_status', {}).abortSignal(signal).throwOnError();
      return data;
    },
  });
}

/** A mail that failed or was cancelled goes back to the queue. */
export async function resendMail({ id }: { id: string }): Promise<void> {
  await setState(id, 'queued');
}

export async function cancelMail({ id }: { id: string }): Promise<void> {
  await setState(id, 'cancelled');
}

async function setState(id: string, state: MailState): Promise<void> {
  await rest().from('outbox').update({ state }).eq('id', id).select('id').single().throwOnError();
}
