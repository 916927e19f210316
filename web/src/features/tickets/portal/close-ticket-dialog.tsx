// Confirmation before a ticket is closed.
import { closeTicket, type Ticket, ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { ConfirmDialog } from '~/ui/confirm-dialog';

type CloseTicketDialogProps = {
  ticket: Pick<Ticket, 'id' | 'subject'>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function CloseTicketDialog({ ticket, open, onOpenChange }: CloseTicketDialogProps) {
  const close = useApiMutation({
    mutationFn: closeTicket,
    invalidates: [ticketKeys.all],
    successToast: { title: 'Ticket fechado' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível fechar o ticket. Tente novamente.' },
    onSuccess: () => onOpenChange(false),
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Fechar ticket"
      description={`O atendimento “${ticket.subject}” será encerrado.`}
      confirm="Fechar ticket"
      pending={close.isPending}
      onConfirm={() => close.mutate(ticket.id)}
    />
  );
}
