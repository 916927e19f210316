import { useMutationState } from '@tanstack/react-query';

import { type NewTicket, ticketKeys } from '~/features/tickets/api/tickets';
import type { Draft } from '~/lib/drafts/drafts';

/** The tickets that are on their way to the server. */
export function usePendingTickets(): Draft<NewTicket>[] {
  return useMutationState<Draft<NewTicket> | undefined>({
    filters: { mutationKey: ticketKeys.create, status: 'pending' },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The cache forgets the type of what `createTicket` was given.
    select: (mutation) => mutation.state.variables as Draft<NewTicket> | undefined,
  }).filter((draft) => draft !== undefined);
}
