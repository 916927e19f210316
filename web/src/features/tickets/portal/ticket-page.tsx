// Ticket page of the clients.
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { RecordPage } from '~/components/record-page';
import {
  downloadAttachment,
  prefetchFirstNewReply,
  type TicketDetail,
  ticketQuery,
} from '~/features/tickets/api/ticket-thread';
import { MessageThread } from '~/features/tickets/components/message-thread';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

import { CloseTicketButton } from './close-ticket-button';
import { PortalReplyCard } from './portal-reply-card';
import { messagesOf, STAFF, useAuthors } from './use-authors';

// Loaded on demand, because most people act for one client.
const OwnerSwitch = lazy(async () => ({
  default: (await import('~/features/members/components/owner-switch')).OwnerSwitch,
}));

// Loaded on demand, because few tickets have more than a page of messages.
const OlderMessages = lazy(async () => ({ default: (await import('./older-messages')).OlderMessages }));

// Loaded on demand, because the thread is read first.
const TicketSidebar = lazy(async () => ({ default: (await import('./ticket-sidebar')).TicketSidebar }));

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
  prefetchFirstNewReply(ticketId);
  void queryClient.prefetchQuery(ticketQuery(ticketId));
  return null;
}

const back = { to: paths.tickets(), label: 'Voltar para Tickets' };

export { PortalTicketPage as Component };

function PortalTicketPage() {
  const { ticketId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(ticketQuery(ticketId))}
      title="Ticket"
      notFound={{
        icon: MessageSquareText,
        title: 'Ticket não encontrado',
        hint: 'O ticket solicitado não existe ou foi removido',
        children: (
          <Suspense>
            <OwnerSwitch kind="ticket" id={ticketId} className="px-5 pb-8" />
          </Suspense>
        ),
      }}
      back={back}
      loading={<SkeletonList rows={2} rowClassName="h-40" />}
    >
      {(ticket) => <TicketScreen key={ticketId} ticket={ticket} />}
    </RecordPage>
  );
}

function TicketScreen({ ticket }: { ticket: TicketDetail }) {
  const { authorOf, initialsOf } = useAuthors();
  return (
    <>
      <PageHeader
        title={ticket.subject}
        back={back}
        secondary={ticket.status !== 'closed' && <CloseTicketButton ticket={ticket} />}
      />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <MessageThread
            ticketId={ticket.id}
            download={downloadAttachment}
            older={ticket.hasOlder && <OlderMessages ticketId={ticket.id} />}
            messages={messagesOf(ticket).map(
              ({ id, from_staff, created_at, body, member_name, ticket_attachments }) => ({
                id,
                side: from_staff ? 'other' : 'own',
                author: from_staff ? STAFF : authorOf(member_name),
                initialsOf: from_staff ? STAFF : initialsOf(member_name),
                at: created_at,
                body,
                files: ticket_attachments,
              }),
            )}
          />
          <PortalReplyCard ticket={ticket} />
        </div>
        <Suspense
          fallback={<div className="border-border bg-card h-14.5 rounded border max-lg:order-first" />}
        >
          <TicketSidebar ticket={ticket} />
        </Suspense>
      </div>
    </>
  );
}
