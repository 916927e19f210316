// Request of the older messages of a ticket for staff. Loaded on demand, because few tickets have more than a page.
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';

import { ADMIN_MESSAGE_COLUMNS, adminTicketQuery, toAdminMessage } from './admin-tickets';
import { isBefore, prependOlder } from './prepend-older';
import { THREAD_PAGE } from './ticket-thread';

/** Reads a page of older messages for staff. Returns a function that shows them. */
export async function readOlderAdminMessages(ticketId: string): Promise<() => void> {
  const { queryKey } = adminTicketQuery(ticketId);
  const first = queryClient.getQueryData(queryKey)?.messages[0];
  if (!first) return () => undefined;
  const { data } = await db()
    .from('ticket_messages')
    .select(ADMIN_MESSAGE_COLUMNS)
    .eq('ticket_id', ticketId)
    .or(isBefore(first))
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
    .order('created_at', { referencedTable: 'ticket_attachments' })
    .limit(THREAD_PAGE + 1)
    .throwOnError();
  const older = data.map(toAdminMessage);
  return () => queryClient.setQueryData(queryKey, (ticket) => ticket && prependOlder(ticket, first, older));
}
