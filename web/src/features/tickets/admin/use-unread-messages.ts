import { useState } from 'react';

import { useUser } from '~/features/auth/session';
import {
  type OfficeMessage,
  type OfficeTicket,
  officeTicketQuery,
} from '~/features/tickets/api/admin-tickets';
import { queryClient } from '~/lib/api/query-client';

/** What others said under a ticket since the person at this screen began to write. */
export function useNewerWords(ticket: OfficeTicket) {
  const { id: me } = useUser();
  const [read, setRead] = useState(() => idsOf(ticket));
  const unread = ({ messages }: OfficeTicket): OfficeMessage[] =>
    messages.filter(({ id, authorId }) => authorId !== me && !read.has(id));
  return {
    newer: unread(ticket),
    /** Asks the server, for this screen may be some seconds old. When it cannot be asked, what is here must do. */
    async look(): Promise<OfficeMessage[]> {
      const fresh = await queryClient.fetchQuery(officeTicketQuery(ticket.id)).catch(() => null);
      return unread(fresh ?? ticket);
    },
    /** The person has seen what stands there now. */
    catchUp: () => {
      const now = queryClient.getQueryData(officeTicketQuery(ticket.id).queryKey) ?? ticket;
      setRead(idsOf(now));
    },
  };
}

function idsOf({ messages }: OfficeTicket): Set<string> {
  return new Set(messages.map(({ id }) => id));
}
