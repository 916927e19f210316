// Typing indicators among staff, to avoid duplicate replies. Each screen with a draft sends heartbeats; the server
// expires an indicator after half a minute.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useUser } from '~/features/auth/session';
import { staffName } from '~/features/staff/api';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { pollEvery } from '~/lib/api/live-status';
import { db } from '~/lib/api/postgrest';
import { randomUuid } from '~/lib/uuid';

const HEARTBEAT_MS = 10_000;
const POLL_MS = 5_000;
/** Interval while the server announces indicators, but not their expiry. */
const EXPIRY_POLL_MS = 10_000;

/** Names of the other staff members who are typing. */
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
    refetchInterval: pollEvery(POLL_MS, EXPIRY_POLL_MS),
  });
}

/** Sends heartbeats while the user is writing and the page is visible. */
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

/** Failures are not reported, because the next heartbeat follows soon. */
async function upsertPresence(id: string, ticketId: string): Promise<void> {
  await db().from('ticket_presence').upsert({ id, ticket_id: ticketId });
}

async function clearPresence(id: string): Promise<void> {
  await db().from('ticket_presence').delete().eq('id', id);
}
