import { closeTicket, type Ticket, ticketKeys } from '~/data/tickets';
import { useAction } from '~/lib/use-action';
import { ConfirmDialog } from '~/ui/dialog';

type CloseTicketDialogProps = {
  /** The ticket in question; none while the dialog is shut. */
  ticket: Pick<Ticket, 'id' | 'subject'> | null;
  onDone: () => void;
};

export function CloseTicketDialog({ ticket, onDone }: CloseTicketDialogProps) {
  const close = useAction({
    run: closeTicket,
    refreshes: [ticketKeys.all],
    success: { title: 'Ticket fechado' },
    failure: { title: 'Erro', fallback: 'Não foi possível fechar o ticket. Tente novamente.' },
    onSuccess: onDone,
  });
  return (
    <ConfirmDialog
      open={ticket !== null}
      onOpenChange={(open) => !open && onDone()}
      title="Fechar ticket"
      description={ticket && <>O atendimento “{ticket.subject}” será encerrado.</>}
      confirm="Fechar ticket"
      pending={close.pending}
      onConfirm={() => ticket && close.run(ticket.id)}
    />
  );
}
