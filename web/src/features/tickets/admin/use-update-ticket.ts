// Change of one ticket, saved immediately.
import { type TicketUpdate, updateTicket } from '~/features/tickets/api/admin-tickets';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';

export function useUpdateTicket(id: string, onSettled?: () => void) {
  return useApiMutation({
    mutationFn: (change: TicketUpdate) => updateTicket({ id, change }),
    invalidates: [ticketKeys.all],
    successToast: { title: 'Ticket atualizado' },
    errorToast: { title: 'Erro ao salvar ticket' },
    ...(onSettled && { onSettled }),
  });
}
