// Queries of the dashboard's open work.
import { queryOptions } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { db } from '~/lib/api/postgrest';
import { expiringSoonRange } from '~/lib/dates';

/** First rows of a list, with the total count. */
export type AttentionList<Row> = { rows: Row[]; count: number };

export type WaitingTicket = { id: string; subject: string; due_at: string | null };
export type UnopenedDocument = { id: string; name: string; expires_at: string | null };

const PREVIEW_COUNT = 5;
const failure = { title: 'Erro ao buscar pendências' };

/** Unanswered tickets, ordered by due date. */
export function unansweredTicketsQuery() {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'unanswered'],
    async queryFn({ signal }): Promise<AttentionList<WaitingTicket>> {
      const { data, count } = await db()
        .from('tickets')
        .select('id,subject,due_at', { count: 'exact' })
        .not('due_at', 'is', null)
        .order('due_at')
        .order('id')
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .throwOnError();
      return { rows: data, count: count ?? data.length };
    },
    meta: { errorToast: failure },
  });
}

/** Released documents that expire within seven days and that the client has not opened, ordered by expiry. */
export function unopenedDocumentsQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'unopened'],
    async queryFn({ signal }): Promise<AttentionList<UnopenedDocument>> {
      const { after, until } = expiringSoonRange();
      const { data, count } = await db()
        .from('documents')
        .select('id,name,expires_at,document_receipts()', { count: 'exact' })
        .gt('expires_at', after)
        .lte('expires_at', until)
        .not('client_id', 'is', null)
        .eq('status', 'active')
        .is('document_receipts', null)
        .eq('was_opened', false)
        .order('expires_at')
        .order('id')
        .limit(PREVIEW_COUNT)
        .abortSignal(signal)
        .overrideTypes<UnopenedDocument[], { merge: false }>()
        .throwOnError();
      return { rows: data, count: count ?? data.length };
    },
    meta: { errorToast: failure },
  });
}
