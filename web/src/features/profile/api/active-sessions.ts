// Where a person is signed in.
import { queryOptions } from '@tanstack/react-query';

import type { SessionRow } from '~/lib/api/database.types';
import { rest } from '~/lib/api/postgrest';
import { bearer, claimsOf, server } from '~/lib/api/supabase';

export type OpenSession = SessionRow & { isThisOne: boolean };

export const openSessionKeys = { all: ['open-sessions'] as const };

/** This one first, then the one that was used last. */
export function openSessionsQuery() {
  return queryOptions({
    queryKey: openSessionKeys.all,
    async queryFn({ signal }): Promise<OpenSession[]> {
      const { data } = await rest()
        .from('sessions')
        .select('id,user_agent,created_at,refreshed_at')
        .order('refreshed_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError();
      const here = claimsOf(await bearer()).session_id;
      const sessions = data.map((session) => ({ ...session, isThisOne: session.id === here }));
      return sessions.toSorted((a, b) => Number(b.isThisOne) - Number(a.isThisOne));
    },
  });
}

export async function endOpenSession(id: string): Promise<void> {
  await rest().from('sessions').delete().eq('id', id).throwOnError();
}

export async function endOtherSessions(): Promise<void> {
  const { error } = await server().auth.signOut({ scope: 'others' });
  if (error) throw error;
}
