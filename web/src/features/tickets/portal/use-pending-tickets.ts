// Drafts of tickets whose creation is pending.
import { useMutationState } from '@tanstack/react-query';

import { type NewTicket, ticketKeys } from '~/features/tickets/api/tickets';
import type { Draft } from '~/lib/drafts/drafts';

export function usePendingTickets(): Draft<NewTicket>[] {
  return useMutationState<Draft<NewTicket> | undefined>({
    filters: { mutationKey: ticketKeys.create, status: 'pending' },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cache does not know the type of the variables of `createTicket`.
    select: (mutation) => mutation.state.variables as Draft<NewTicket> | undefined,
  }).filter((draft) => draft !== undefined);
}
