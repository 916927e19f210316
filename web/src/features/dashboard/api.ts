// Queries of the dashboard's open work.
import { queryOptions } from '@tanstack/react-query';

import { getFullName } from '~/features/clients/api/full-name';
import { WAITING, whereDueWithinWeek, whereUnopened } from '~/features/documents/api/document-conditions';
import { unopenedKeys } from '~/features/documents/api/unopened';
import { requestKeys } from '~/features/requests/api/requests';
import { ticketKeys } from '~/features/tickets/api/tickets';
import type { ClientRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

/** First rows of a list, with the total count. */
export type AttentionList<Row> = { rows: Row[]; count: number };

export type WaitingTicket = { id: string; subject: string; due_at: string | null; client: string | null };
export type UnopenedDocument = {
  id: string;
  name: string;
  expires_at: string | null;
  client: string | null;
};

export type UnfiledFile = { id: string; name: string; created_at: string; client: string | null };

/** A row with its embedded client instead of the client's name. */
type WithClient<Row> = Omit<Row, 'client'> & {
  clients: Pick<ClientRow, 'email' | 'user_metadata'> | null;
};

const PREVIEW_COUNT = 5;
const failure = { title: 'Erro ao buscar pendências' };

/** Unanswered tickets, in the order of the queue. */
export function unansweredTicketsQuery() {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'unanswered'],
    async queryFn({ signal }): Promise<AttentionList<WaitingTicket>> {
      const { data, count } = await db()
        .from('tickets')
        .select('id,subject,due_at,clients(email,user_metadata)', { count: 'exact' })
        .neq('status', 'closed')
        .not('due_at', 'is', null)
        .order('due_at')
        .order('priority_rank', { ascending: false })
        .order('created_at')
        .order('id')
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .overrideTypes<WithClient<WaitingTicket>[], { merge: false }>()
        .throwOnError();
      return { rows: data.map(nameClient), count: count ?? data.length };
    },
    meta: { errorToast: failure },
  });
}

/** Documents that expire today or in the seven days after it and wait to be opened, ordered by expiry. */
export function unopenedDocumentsQuery() {
  return queryOptions({
    queryKey: [...unopenedKeys.all, 'dashboard'],
    async queryFn({ signal }): Promise<AttentionList<UnopenedDocument>> {
      const query = db()
        .from('documents')
        .select(`id,name,expires_at,clients(email,user_metadata),${WAITING}`, { count: 'exact' });
      const { data, count } = await whereDueWithinWeek(whereUnopened(query))
        .order('expires_at')
        .order('id')
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .overrideTypes<WithClient<UnopenedDocument>[], { merge: false }>()
        .throwOnError();
      return { rows: data.map(nameClient), count: count ?? data.length };
    },
    meta: { errorToast: failure },
  });
}

/** Files that clients sent without a request and that are not filed, the oldest first. */
export function oldestUnfiledQuery() {
  return queryOptions({
    queryKey: [...requestKeys.all, 'oldest-unfiled'],
    async queryFn({ signal }): Promise<AttentionList<UnfiledFile>> {
      const { data, count } = await db()
        .from('received_files')
        .select('id,name,created_at,clients(email,user_metadata)', { count: 'exact' })
        .is('item_id', null)
        .is('filed_at', null)
        .order('created_at')
        .order('id')
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .overrideTypes<WithClient<UnfiledFile>[], { merge: false }>()
        .throwOnError();
      return { rows: data.map(nameClient), count: count ?? data.length };
    },
    meta: { errorToast: failure },
  });
}

function nameClient<Row extends WithClient<unknown>>({ clients, ...row }: Row) {
  return { ...row, client: clients && (getFullName(clients) ?? clients.email) };
}
