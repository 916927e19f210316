// Ticket page of the back office.
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { lazy, useRef } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { RecordPage } from '~/components/record-page';
import { useRights } from '~/features/auth/rights';
import { staffQuery } from '~/features/staff/api';
import { type AdminTicket, adminTicketQuery } from '~/features/tickets/api/admin-tickets';
import { savedRepliesQuery } from '~/features/tickets/api/saved-replies';
import {
  type Attachment,
  downloadAttachment,
  prefetchFirstNewReply,
} from '~/features/tickets/api/ticket-thread';
import { MessageThread, type ThreadMessage } from '~/features/tickets/components/message-thread';
import { TicketHistory } from '~/features/tickets/components/ticket-history';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { SkeletonList } from '~/ui/skeleton';

import { AdminReplyCard } from './admin-reply-card';
import { NextTicketLink } from './next-ticket-link';
import { TicketKeys } from './ticket-keys';
import { TicketPropertiesCard } from './ticket-properties-card';

// Loaded on demand, because few tickets have more than a page of messages.
const OlderMessages = lazy(async () => ({ default: (await import('./older-messages')).OlderMessages }));

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
  prefetchFirstNewReply(ticketId);
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
  const { mayWrite } = useRights();
  const client = ticket.client ? (ticket.client.name ?? ticket.client.email) : 'Cliente';
  const page = useRef<HTMLDivElement>(null);
  return (
    <>
      <PageHeader title={ticket.subject} back={back} secondary={<NextTicketLink ticketId={ticket.id} />} />
      {mayWrite && (
        <TicketKeys ticket={ticket} onReply={() => page.current?.querySelector('textarea')?.focus()} />
      )}
      <div ref={page} className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <MessageThread
            ticketId={ticket.id}
            download={downloadAttachment}
            older={ticket.hasOlder && <OlderMessages ticketId={ticket.id} />}
            messages={threadOf(ticket, client)}
          />
          {mayWrite && <AdminReplyCard ticket={ticket} />}
        </div>
        <div className="flex min-w-0 flex-col gap-6 max-lg:contents">
          <div className="max-lg:order-first">
            <TicketPropertiesCard ticket={ticket} />
          </div>
          <TicketHistory
            changes={ticket.history.map(({ id, status, from_staff, member_name, staff, created_at }) => ({
              id,
              status,
              by: from_staff ? (staff ?? 'Equipe') : (member_name ?? client),
              at: created_at,
            }))}
          />
        </div>
      </div>
    </>
  );
}

/** Messages of the ticket, seen by the staff. The first one is the ticket itself. */
function threadOf(ticket: AdminTicket, client: string): ThreadMessage<Attachment>[] {
  const { id, member_name, created_at, message, messages } = ticket;
  return [
    { id, side: 'other', author: member_name ?? client, at: created_at, body: message, files: [] },
    ...messages.map(({ from_staff, internal, staff, ...reply }): ThreadMessage<Attachment> => ({
      id: reply.id,
      side: from_staff ? 'own' : 'other',
      internal,
      author: from_staff ? (staff ?? 'Equipe') : (reply.member_name ?? client),
      ...(internal && { badge: <Badge tone="warning">Nota interna</Badge> }),
      at: reply.created_at,
      body: reply.body,
      files: reply.files,
    })),
  ];
}
