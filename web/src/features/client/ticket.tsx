import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import type { ReactNode } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { type Ticket, ticketQuery } from '~/data/tickets';
import { formatDateTime } from '~/lib/dates';
import { ticketCategoryLabels, ticketPriorityLabels } from '~/lib/labels';
import { queryClient } from '~/lib/query';
import { paths } from '~/paths';
import { ButtonLink } from '~/ui/button';
import { Card, Panel } from '~/ui/card';
import { PageHeader, TabTitle } from '~/ui/page-header';
import { SkeletonList } from '~/ui/skeleton';
import { EmptyState, ErrorState } from '~/ui/states';

import { CloseTicketButton } from './close-ticket';
import { TicketStatusBadge } from './ticket-status';

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(ticketQuery(ticketId));
  return null;
}

export function Component() {
  const { ticketId = '' } = useParams();
  const ticket = useQuery(ticketQuery(ticketId));
  if (ticket.isPending) return <SkeletonList rows={2} rowClassName="h-40" />;
  if (ticket.isError) {
    return (
      <Card>
        <TabTitle title="Ticket" />
        <ErrorState onRetry={() => void ticket.refetch()} />
      </Card>
    );
  }
  return ticket.data ? <TicketScreen ticket={ticket.data} /> : <NotFound />;
}

function TicketScreen({ ticket }: { ticket: Ticket }) {
  return (
    <>
      <PageHeader
        title={ticket.subject}
        back={{ to: paths.tickets(), label: 'Voltar para Tickets' }}
        secondary={ticket.status !== 'closed' && <CloseTicketButton ticket={ticket} />}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Panel title="Mensagem">
          <p className="p-5 wrap-anywhere whitespace-pre-wrap">{ticket.message}</p>
        </Panel>
        <Panel title="Informações">
          <dl className="flex flex-col gap-4 p-5">
            <Fact name="Status">
              <TicketStatusBadge status={ticket.status} />
            </Fact>
            <Fact name="Categoria">{ticketCategoryLabels[ticket.category]}</Fact>
            <Fact name="Prioridade">{ticketPriorityLabels[ticket.priority]}</Fact>
            <Fact name="Criado em">{formatDateTime(ticket.created_at)}</Fact>
            <Fact name="Atualizado em">{formatDateTime(ticket.updated_at)}</Fact>
            <Fact name="ID">{ticket.id}</Fact>
          </dl>
        </Panel>
      </div>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="tabular mt-0.5 font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}

function NotFound() {
  return (
    <Card>
      <TabTitle title="Ticket não encontrado" />
      <EmptyState
        icon={<MessageSquareText size={26} />}
        title="Ticket não encontrado"
        heading
        hint="O ticket solicitado não existe ou foi removido"
        action={<ButtonLink to={paths.tickets()}>Voltar para Tickets</ButtonLink>}
      />
    </Card>
  );
}
