// The clients for whom the signed-in person acts, for the layout and the thread of a ticket.
import { queryOptions, useQuery } from '@tanstack/react-query';

import { accountApi } from '~/lib/api/account-api';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';

export type MemberRole = 'owner' | 'member';

/** A client for whom the signed-in person acts. */
export type ClientChoice = {
  id: string;
  name: string;
  role: MemberRole;
  is_active: boolean;
  /** The person's name as a member; null for the person's own account. */
  member_name: string | null;
};

export function clientChoiceQuery() {
  return queryOptions({
    queryKey: ['client-choice'],
    async queryFn({ signal }): Promise<ClientChoice[]> {
      const viewed = getImpersonation()?.client;
      if (viewed) {
        return [
          {
            id: viewed.id,
            name: viewed.fullName ?? viewed.email,
            role: 'owner',
            is_active: true,
            member_name: null,
          },
        ];
      }
      const { clients } = await (await accountApi('clients', { signal })).json();
      return clients;
    },
    staleTime: Infinity,
  });
}

/** Id of the client for whom the session acts, undefined until it is known. */
export function useActiveClientId(): string | undefined {
  return useQuery(clientChoiceQuery()).data?.find(({ is_active: isActive }) => isActive)?.id;
}

/**
 * Throws if the session acts for another client than `client` by now: the office may have removed the person from it. The
 * header then loads the app again. A person with one client loses the session with it.
 */
export async function requireActiveClient(client: string): Promise<void> {
  const { queryKey } = clientChoiceQuery();
  if (queryClient.getQueryData(queryKey)?.length === 1) return;
  const clients = await queryClient.fetchQuery({ ...clientChoiceQuery(), staleTime: 0 });
  if (clients.find(({ is_active: isActive }) => isActive)?.id !== client) {
    throw new Error('The session acts for another client.');
  }
}
