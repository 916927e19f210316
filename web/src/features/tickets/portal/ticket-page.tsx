// Ticket page of the clients.
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { type LoaderFunctionArgs, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { RecordPage } from '~/components/record-page';
import { useUser } from '~/features/auth/session';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { downloadAttachment, type TicketDetail, ticketQuery } from '~/features/tickets/api/ticket-thread';
import { Message, MessageThread } from '~/features/tickets/components/message-thread';
import { TicketHistory } from '~/features/tickets/components/ticket-history';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

import { CloseTicketButton } from './close-ticket-button';
import { PortalReplyCard } from './portal-reply-card';
import { TicketDetailsCard } from './ticket-details-card';

// Loaded on demand, because most people act for one client.
const OwnerSwitch = lazy(async () => ({
  default: (await import('~/features/members/components/owner-switch')).OwnerSwitch,
}));

export function loader({ params: { ticketId = '' } }: LoaderFunctionArgs) {
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
            <OwnerSwitch kind="ticket" id={ticketId} />
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

const own = { variant: 'client', download: downloadAttachment } as const;
const staff = { variant: 'staff', author: 'Equipe', download: downloadAttachment } as const;

function TicketScreen({ ticket }: { ticket: TicketDetail }) {
  const authorOf = useAuthors();
  return (
    <>
      <PageHeader
        title={ticket.subject}
        back={back}
        secondary={ticket.status !== 'closed' && <CloseTicketButton ticket={ticket} />}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <MessageThread>
            <Message
              {...own}
              author={authorOf(ticket.member_name)}
              at={ticket.created_at}
              body={ticket.message}
              files={[]}
            />
            {ticket.ticket_messages.map(
              ({ id, from_staff, created_at, body, member_name, ticket_attachments }) => (
                <Message
                  key={id}
                  {...(from_staff ? staff : { ...own, author: authorOf(member_name) })}
                  at={created_at}
                  body={body}
                  files={ticket_attachments}
                />
              ),
            )}
          </MessageThread>
          <PortalReplyCard ticket={ticket} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <TicketDetailsCard ticket={ticket} />
          <TicketHistory
            changes={ticket.ticket_history.map(({ id, status, from_staff, created_at }) => ({
              id,
              status,
              by: from_staff ? staff.author : 'Você',
              at: created_at,
            }))}
          />
        </div>
      </div>
    </>
  );
}

/**
 * The names of the authors on the client's side: the person on the screen is "Você". Without members, which most clients
 * have not, everything is the person's own.
 */
function useAuthors(): (memberName: string | null) => string {
  const { id } = useUser();
  const clients = useQuery(clientChoiceQuery());
  const active = clients.data?.find(({ is_active: isActive }) => isActive);
  return (memberName) => {
    if (memberName !== null) return memberName === active?.member_name ? 'Você' : memberName;
    return active === undefined || active.id === id ? 'Você' : active.name;
  };
}
