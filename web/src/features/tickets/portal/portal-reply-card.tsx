import { ButtonLink } from '~/components/button-link';
import { useUser } from '~/features/auth/session';
import { isClosedForGood, reopensUntil, type TicketDetail } from '~/features/tickets/api/ticket';
import { ReplyForm } from '~/features/tickets/reply/reply-form';
import { useReply } from '~/features/tickets/reply/use-reply';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Notice } from '~/ui/alert';
import { Panel } from '~/ui/card';

/** Where a reply is written; for a ticket that was closed too long ago, the way to a new one. */
export function ReplyBox({ ticket }: { ticket: TicketDetail }) {
  return (
    <Panel title="Responder" className="print-hide">
      {isClosedForGood(ticket) ? (
        <div className="flex flex-col items-start gap-4 p-5">
          <p>
            Este ticket foi fechado há mais de 7 dias e não pode ser reaberto. Para continuar o assunto, abra
            um novo ticket ligado a este.
          </p>
          <ButtonLink to={paths.ticketNew(ticket.id)}>Abrir novo ticket</ButtonLink>
        </div>
      ) : (
        <OwnReply ticket={ticket} until={reopensUntil(ticket)} />
      )}
    </Panel>
  );
}

function OwnReply({ ticket, until }: { ticket: TicketDetail; until: Date | null }) {
  const { id: userId } = useUser();
  const reply = useReply({
    ticketId: ticket.id,
    sender: userId,
    success: () => (until === null ? 'Resposta enviada' : 'Ticket reaberto'),
  });
  return (
    <ReplyForm
      {...reply.form}
      label="Sua mensagem"
      submit={until === null ? 'Enviar resposta' : 'Reabrir'}
      onSend={reply.send}
      before={
        until !== null && (
          <Notice tone="info">
            Este ticket está fechado. Uma resposta até {formatDateTime(until.toISOString())} o reabre.
          </Notice>
        )
      }
    />
  );
}
