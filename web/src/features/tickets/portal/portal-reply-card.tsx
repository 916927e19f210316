// Reply card of the clients.
import { ButtonLink } from '~/components/button-link';
import { isPermanentlyClosed, reopenDeadline, type TicketDetail } from '~/features/tickets/api/ticket-thread';
import { ReplyForm } from '~/features/tickets/reply/reply-form';
import { useReply } from '~/features/tickets/reply/use-reply';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';

/** Reply form, or a link to a new ticket if the ticket is permanently closed. */
export function PortalReplyCard({ ticket }: { ticket: TicketDetail }) {
  return (
    <Panel title="Responder" className="print:hidden">
      {isPermanentlyClosed(ticket) ? (
        <div className="flex flex-col items-start gap-4 p-5">
          <p>
            Este ticket foi fechado há mais de 7 dias e não pode ser reaberto. Para continuar o assunto, abra
            um novo ticket ligado a este.
          </p>
          <ButtonLink to={paths.ticketNew(ticket.id)}>Abrir novo ticket</ButtonLink>
        </div>
      ) : (
        <ReplyEditor ticket={ticket} until={reopenDeadline(ticket)} />
      )}
    </Panel>
  );
}

function ReplyEditor({ ticket, until }: { ticket: TicketDetail; until: Date | null }) {
  const reply = useReply({
    ticketId: ticket.id,
    sender: null,
    success: () => (until === null ? 'Resposta enviada' : 'Ticket reaberto'),
  });
  return (
    <ReplyForm
      {...reply.form}
      label="Sua mensagem"
      submit={until === null ? 'Enviar resposta' : 'Reabrir'}
      onSend={reply.send}
      header={
        until !== null && (
          <Alert variant="info">
            Este ticket está fechado. Uma resposta até {formatDateTime(until.toISOString())} o reabre.
          </Alert>
        )
      }
    />
  );
}
