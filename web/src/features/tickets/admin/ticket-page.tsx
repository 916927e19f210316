// Ticket page of the administrators.
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { RecordPage } from '~/components/record-page';
import { staffQuery } from '~/features/staff/api';
import {
  type AdminTicketMessage,
  type AdminTicket,
  adminTicketQuery,
} from '~/features/tickets/api/admin-tickets';
import { savedRepliesQuery } from '~/features/tickets/api/saved-replies';
import { downloadAttachment } from '~/features/tickets/api/ticket-thread';
import { Message, MessageThread } from '~/features/tickets/components/message-thread';
import { TicketHistory } from '~/features/tickets/components/ticket-history';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { SkeletonList } from '~/ui/skeleton';

import { AdminReplyCard } from './admin-reply-card';
import { TicketPropertiesCard } from './ticket-properties-card';

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(adminTicketQuery(ticketId));
  void queryClient.prefetchQuery(staffQuery());
  void queryClient.prefetchQuery(savedRepliesQuery());
  return null;
}

const back = { to: paths.adminTickets(), label: 'Voltar para Tickets' };

export { AdminTicketPage as Component };

function AdminTicketPage() {
  const { ticketId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(adminTicketQuery(ticketId))}
      title="Ticket"
      notFound={{
        icon: MessageSquareText,
        title: 'Ticket não encontrado',
        hint: 'O ticket solicitado não existe ou foi removido',
      }}
      back={back}
      loading={<SkeletonList rows={2} rowClassName="h-40" />}
    >
      {(ticket) => <TicketScreen key={ticketId} ticket={ticket} />}
    </RecordPage>
  );
}

function TicketScreen({ ticket }: { ticket: AdminTicket }) {
  const client = ticket.client ? (ticket.client.name ?? ticket.client.email) : 'Cliente';
  return (
    <>
      <PageHeader title={ticket.subject} back={back} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <MessageThread>
            <Message
              variant="client"
              author={ticket.member_name ?? client}
              at={ticket.created_at}
              body={ticket.message}
              files={[]}
              download={downloadAttachment}
            />
            {ticket.messages.map((message) => (
              <AdminThreadMessage key={message.id} message={message} client={client} />
            ))}
          </MessageThread>
          <AdminReplyCard ticket={ticket} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <TicketPropertiesCard ticket={ticket} />
          <TicketHistory
            changes={ticket.history.map(({ id, status, from_staff, staff, created_at }) => ({
              id,
              status,
              by: from_staff ? (staff ?? 'Equipe') : client,
              at: created_at,
            }))}
          />
        </div>
      </div>
    </>
  );
}

function AdminThreadMessage({ message, client }: { message: AdminTicketMessage; client: string }) {
  const { from_staff, internal, member_name, staff, created_at, body, files } = message;
  const variant = from_staff ? 'staff' : 'client';
  return (
    <Message
      variant={internal ? 'internal' : variant}
      author={from_staff ? (staff ?? 'Equipe') : (member_name ?? client)}
      {...(internal && { badge: <Badge tone="warning">Nota interna</Badge> })}
      at={created_at}
      body={body}
      files={files}
      download={downloadAttachment}
    />
  );
}
