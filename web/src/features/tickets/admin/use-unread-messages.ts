import { useState } from 'react';

import { useUser } from '~/features/auth/session';
import {
  type AdminTicketMessage,
  type AdminTicket,
  adminTicketQuery,
} from '~/features/tickets/api/admin-tickets';
import { queryClient } from '~/lib/api/query-client';

/** What others said under a ticket since the person at this screen began to write. */
export function useUnreadMessages(ticket: AdminTicket) {
  const { id: me } = useUser();
  const [read, setRead] = useState(() => idsOf(ticket));
  const selectUnread = ({ messages }: AdminTicket): AdminTicketMessage[] =>
    messages.filter(({ id, authorId }) => authorId !== me && !read.has(id));
  return {
    unread: selectUnread(ticket),
    /** Asks the server, for this screen may be some seconds old. When it cannot be asked, what is here must do. */
    async checkNow(): Promise<AdminTicketMessage[]> {
      const fresh = await queryClient.fetchQuery(adminTicketQuery(ticket.id)).catch(() => null);
      return selectUnread(fresh ?? ticket);
    },
    /** The person has seen what stands there now. */
    markRead: () => {
      const now = queryClient.getQueryData(adminTicketQuery(ticket.id).queryKey) ?? ticket;
      setRead(idsOf(now));
    },
  };
}

function idsOf({ messages }: AdminTicket): Set<string> {
  return new Set(messages.map(({ id }) => id));
}
