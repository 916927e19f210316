import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { downloadAttachment, type TicketDetail, ticketQuery } from '~/data/ticket';
import { queryClient } from '~/lib/query';
import { paths } from '~/paths';
import { ButtonLink } from '~/ui/button';
import { Card } from '~/ui/card';
import { PageHeader, TabTitle } from '~/ui/page-header';
import { SkeletonList } from '~/ui/skeleton';
import { EmptyState, ErrorState } from '~/ui/states';
import { Message, Thread } from '~/ui/thread';
import { TicketHistory } from '~/ui/ticket-history';

import { CloseTicketButton } from './close-ticket';
import { ReplyBox } from './reply-box';
import { TicketFacts } from './ticket-facts';

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(ticketQuery(ticketId));
  return null;
}

export function Component() {
  const { ticketId = '' } = useParams();
  const ticket = useQuery(ticketQuery(ticketId));
  if (ticket.isPending) return <SkeletonList rows={2} rowClassName="h-40" />;
  // What was read once stays in view while it cannot be read anew.
  if (ticket.isError && !ticket.data) {
    return (
      <Card>
        <TabTitle title="Ticket" />
        <ErrorState onRetry={() => void ticket.refetch()} />
      </Card>
    );
  }
  return ticket.data ? <TicketScreen key={ticketId} ticket={ticket.data} /> : <NotFound />;
}

const own = { side: 'theirs', author: 'Você', download: downloadAttachment } as const;
const staff = { side: 'staff', author: 'Equipe', download: downloadAttachment } as const;

function TicketScreen({ ticket }: { ticket: TicketDetail }) {
  return (
    <>
      <PageHeader
        title={ticket.subject}
        back={{ to: paths.tickets(), label: 'Voltar para Tickets' }}
        secondary={ticket.status !== 'closed' && <CloseTicketButton ticket={ticket} />}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Thread>
            <Message {...own} at={ticket.created_at} body={ticket.message} files={[]} />
            {ticket.ticket_messages.map(({ id, from_staff, created_at, body, ticket_attachments }) => (
              <Message
                key={id}
                {...(from_staff ? staff : own)}
                at={created_at}
                body={body}
                files={ticket_attachments}
              />
            ))}
          </Thread>
          <ReplyBox ticket={ticket} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <TicketFacts ticket={ticket} />
          <TicketHistory
            changes={ticket.ticket_history.map(({ id, status, from_staff, created_at }) => ({
              id,
              status,
              by: from_staff ? staff.author : own.author,
              at: created_at,
            }))}
          />
        </div>
      </div>
    </>
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
