// Requests of the active sessions of the signed-in user.
import { queryOptions } from '@tanstack/react-query';

import type { SessionRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { getAccessToken, decodeJwtClaims, supabase } from '~/lib/api/supabase';

export type ActiveSession = Omit<SessionRow, 'user_id'> & { isCurrent: boolean };

export const activeSessionKeys = { all: ['open-sessions'] as const };

/** Active sessions: the current session first, the others by last use. */
export function activeSessionsQuery() {
  return queryOptions({
    queryKey: activeSessionKeys.all,
    async queryFn({ signal }): Promise<ActiveSession[]> {
      const { data } = await db()
        .from('sessions')
        .select('id,user_agent,created_at,refreshed_at')
        .order('refreshed_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError();
      const here = decodeJwtClaims(await getAccessToken()).session_id;
      const sessions = data.map((session) => ({ ...session, isCurrent: session.id === here }));
      return sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    },
  });
}

export async function revokeSession(id: string): Promise<void> {
  await db().from('sessions').delete().eq('id', id).throwOnError();
}

export async function revokeOtherSessions(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signOut({ scope: 'others' });
  if (error) throw error;
}
