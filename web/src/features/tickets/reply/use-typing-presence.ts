// Who of the office is writing an answer at this moment, so that two do not answer at once. Each screen on which
// something is being written says so again and again; what is not said again for half a minute the server forgets.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { staffName } from '~/features/staff/api';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { db } from '~/lib/api/postgrest';
import { randomUuid } from '~/lib/uuid';

const HEARTBEAT_MS = 10_000;
const POLL_MS = 5_000;

/** The names of the others who are writing under a ticket. */
export function useTypingStaff(ticketId: string): string[] {
  const { id: me } = useUser();
  return useQuery(presenceQuery(ticketId, me)).data ?? [];
}

function presenceQuery(ticketId: string, me: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'presence', ticketId],
    async queryFn({ signal }): Promise<string[]> {
      const { data } = await db()
        .from('ticket_presence')
        .select('user_id,staff(email,user_metadata)')
        .eq('ticket_id', ticketId)
        .neq('user_id', me)
        .order('last_seen_at')
        .abortSignal(signal)
        .throwOnError();
      return [...new Set(data.flatMap(({ staff }) => (staff ? [staffName(staff)] : [])))];
    },
    staleTime: 0,
    refetchInterval: POLL_MS,
  });
}

/** Tells the others that something is being written here, for as long as it is, and this page is looked at. */
export function useTypingHeartbeat(ticketId: string, writing: boolean): void {
  const [screen] = useState(randomUuid);
  useEffect(() => {
    if (!writing) return undefined;
    const sendHeartbeat = () => {
      if (document.visibilityState === 'visible') void upsertPresence(screen, ticketId);
    };
    sendHeartbeat();
    const timer = setInterval(sendHeartbeat, HEARTBEAT_MS);
    document.addEventListener('visibilitychange', sendHeartbeat);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', sendHeartbeat);
      void clearPresence(screen);
    };
  }, [screen, ticketId, writing]);
}

/** What fails is said again in a moment, and nobody's work depends on it. */
async function upsertPresence(id: string, ticketId: string): Promise<void> {
  await db().from('ticket_presence').upsert({ id, ticket_id: ticketId });
}

async function clearPresence(id: string): Promise<void> {
  await db().from('ticket_presence').delete().eq('id', id);
}
