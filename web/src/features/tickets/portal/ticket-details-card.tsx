// Card with the details of a ticket.
import { Link } from 'react-router';

import type { TicketDetail } from '~/features/tickets/api/ticket-thread';
import { CopyId, SidePanel } from '~/features/tickets/components/side-panel';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { ticketCategoryLabels, ticketPriorityLabels } from '~/features/tickets/ticket-labels';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { DescriptionItem } from '~/ui/description-list';

export function TicketDetailsCard({ ticket }: { ticket: TicketDetail }) {
  return (
    <SidePanel title="Informações" summary={<TicketStatusBadge status={ticket.status} />}>
      <dl className="flex flex-col gap-4 p-5">
        <DescriptionItem term="Status">
          <TicketStatusBadge status={ticket.status} />
        </DescriptionItem>
        <DescriptionItem term="Categoria">{ticketCategoryLabels[ticket.category]}</DescriptionItem>
        <DescriptionItem term="Prioridade">{ticketPriorityLabels[ticket.priority]}</DescriptionItem>
        <DescriptionItem term="Criado em">{formatDateTime(ticket.created_at)}</DescriptionItem>
        <DescriptionItem term="Atualizado em">{formatDateTime(ticket.updated_at)}</DescriptionItem>
        {ticket.document_id !== null && (
          <DescriptionItem term="Documento">
            <Link to={paths.document(ticket.document_id)} className="text-primary underline">
              {ticket.documents?.name}
            </Link>
          </DescriptionItem>
        )}
        {ticket.follow_up_of_id !== null && (
          <DescriptionItem term="Continuação de">
            <Link to={paths.ticket(ticket.follow_up_of_id)} className="text-primary underline">
              #{ticket.follow_up_of_id.slice(-4)}
            </Link>
          </DescriptionItem>
        )}
        <DescriptionItem term="ID">
          <CopyId id={ticket.id} />
        </DescriptionItem>
      </dl>
    </SidePanel>
  );
}
