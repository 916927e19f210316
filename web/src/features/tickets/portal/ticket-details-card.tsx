import { Link } from 'react-router';

import type { Ticket } from '~/features/tickets/api/tickets';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { ticketCategoryLabels, ticketPriorityLabels } from '~/features/tickets/ticket-labels';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { Fact } from '~/ui/description-list';

export function TicketFacts({ ticket }: { ticket: Ticket }) {
  return (
    <Panel title="Informações">
      <dl className="flex flex-col gap-4 p-5">
        <Fact name="Status">
          <TicketStatusBadge status={ticket.status} />
        </Fact>
        <Fact name="Categoria">{ticketCategoryLabels[ticket.category]}</Fact>
        <Fact name="Prioridade">{ticketPriorityLabels[ticket.priority]}</Fact>
        <Fact name="Criado em">{formatDateTime(ticket.created_at)}</Fact>
        <Fact name="Atualizado em">{formatDateTime(ticket.updated_at)}</Fact>
        {ticket.follows_id !== null && (
          <Fact name="Continuação de">
            <Link to={paths.ticket(ticket.follows_id)} className="text-primary underline">
              #{ticket.follows_id.slice(-4)}
            </Link>
          </Fact>
        )}
        <Fact name="ID">{ticket.id}</Fact>
      </dl>
    </Panel>
  );
}
