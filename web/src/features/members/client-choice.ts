// The clients for whom the signed-in person acts, for the layout and the thread of a ticket.
import { queryOptions } from '@tanstack/react-query';

import { portalApi } from '~/lib/api/portal-api';

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
      const { clients } = await (await portalApi('clients', { signal })).json();
      return clients;
    },
    staleTime: Infinity,
  });
}
