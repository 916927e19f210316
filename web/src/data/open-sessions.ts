// Where a person is signed in.
import { queryOptions } from '@tanstack/react-query';

import { rest } from '~/lib/rest';
import { bearer, server } from '~/lib/supabase';
import type { SessionRow } from '~/lib/tables';

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
      const here = sessionOf(await bearer());
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

/** The session that a token was given for. The token is our own, so it is read and not checked. */
function sessionOf(token: string): string | undefined {
  const part = token.split('.')[1];
  if (part === undefined) return undefined;
  const claims: { session_id?: string } = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
  return claims.session_id;
}
