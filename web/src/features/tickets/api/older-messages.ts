// Request of the older messages of a client's ticket. Loaded on demand, because few tickets have more than a page.
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';

import { isBefore, prependOlder } from './prepend-older';
import { MESSAGE_COLUMNS, THREAD_PAGE, ticketQuery } from './ticket-thread';

/** Reads a page of older messages. Returns a function that shows them. */
export async function readOlderMessages(ticketId: string): Promise<() => void> {
  const { queryKey } = ticketQuery(ticketId);
  const first = queryClient.getQueryData(queryKey)?.messages[0];
  if (!first) return () => undefined;
  const { data } = await db()
    .from('ticket_messages')
    .select(MESSAGE_COLUMNS)
    .eq('ticket_id', ticketId)
    .or(isBefore(first))
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
    .order('created_at', { referencedTable: 'ticket_attachments' })
    .limit(THREAD_PAGE + 1)
    .throwOnError();
  return () => queryClient.setQueryData(queryKey, (ticket) => ticket && prependOlder(ticket, first, data));
}
