// Queries of what waits for the client, loaded with the to-do list of the home page.
import { queryOptions } from '@tanstack/react-query';

import { documentKeys, type ExpiringDocument } from '~/features/documents/api/documents';
import { PAYMENT_COLUMNS } from '~/features/documents/api/payment-details';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { db } from '~/lib/api/postgrest';
import { addDaysToDay, today } from '~/lib/dates';

/** Maximum number of overdue documents on the home page. */
const OVERDUE_LIMIT = 5;
/** Number of days after its expiry in which an unopened document counts as overdue. */
const UNOPENED_DAYS = 90;
/** Maximum number of messages that are searched for new answers. */
const MESSAGE_LIMIT = 200;

const failure = { errorToast: portalLoadErrorToast };

/**
 * The latest overdue documents that the client has not dealt with, and the number of all. A document with an amount or a
 * code is done with a reported payment, every other one when it is opened. Receipts are deleted after some months, so
 * older documents without an amount or a code are left out.
 */
export function overdueQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'overdue'],
    async queryFn({ signal }): Promise<{ documents: ExpiringDocument[]; total: number }> {
      const since = addDaysToDay(today(), -UNOPENED_DAYS);
      const { data, count } = await db()
        .from('documents')
        .select(`id,name,type,file_url,expires_at,status,${PAYMENT_COLUMNS},document_receipts()`, {
          count: 'exact',
        })
        .eq('status', 'active')
        .lte('expires_at', new Date().toISOString())
        .is('document_payments', null)
        .or(
          `amount_cents.not.is.null,payment_line.not.is.null,pix_code.not.is.null,and(expires_at.gt.${since},document_receipts.is.null)`,
        )
        .order('expires_at', { ascending: false })
        .order('id')
        .limit(OVERDUE_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return { documents: data, total: count ?? data.length };
    },
    // The result depends on the current time.
    refetchInterval: 60_000,
    meta: failure,
  });
}

/** Number of tickets whose newest message since the last visit is from the office. */
export function newAnswerCountQuery(lastVisit: string | null) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'answers', lastVisit],
    async queryFn({ signal }): Promise<number> {
      const query = db()
        .from('ticket_messages')
        .select('ticket_id,from_staff')
        .order('created_at', { ascending: false })
        .limit(MESSAGE_LIMIT)
        .abortSignal(signal);
      const { data } = await (lastVisit === null ? query : query.gt('created_at', lastVisit)).throwOnError();
      const newest = new Map<string, boolean>();
      for (const { ticket_id: ticket, from_staff: isAnswer } of data) {
        if (!newest.has(ticket)) newest.set(ticket, isAnswer);
      }
      return [...newest.values()].filter(Boolean).length;
    },
    meta: failure,
  });
}
