// Messages that arrived while the user writes a reply.
import { useState } from 'react';

import { useUser } from '~/features/auth/session';
import {
  type AdminTicketMessage,
  type AdminTicket,
  adminTicketQuery,
} from '~/features/tickets/api/admin-tickets';
import { queryClient } from '~/lib/api/query-client';

/** Tracks messages of other authors since the draft began. */
export function useUnreadMessages(ticket: AdminTicket) {
  const { id: me } = useUser();
  const [read, setRead] = useState(() => idsOf(ticket));
  const selectUnread = ({ messages }: AdminTicket): AdminTicketMessage[] => {
    // Older messages that were loaded since then are not new.
    const first = messages.findIndex(({ id }) => read.has(id));
    return messages.slice(Math.max(first, 0)).filter(({ id, authorId }) => authorId !== me && !read.has(id));
  };
  return {
    unread: selectUnread(ticket),
    /**
     * Fetches the ticket first, because the cache may be some seconds old. On a network failure the cached messages
     * count.
     */
    async checkNow(): Promise<AdminTicketMessage[]> {
      const fresh = await queryClient.fetchQuery(adminTicketQuery(ticket.id)).catch(() => null);
      return selectUnread(fresh ?? ticket);
    },
    /** Marks the current messages as read. */
    markRead: () => {
      const now = queryClient.getQueryData(adminTicketQuery(ticket.id).queryKey) ?? ticket;
      setRead(idsOf(now));
    },
  };
}

function idsOf({ messages }: AdminTicket): Set<string> {
  return new Set(messages.map(({ id }) => id));
}
