// Requests of one ticket for staff.
import { queryOptions } from '@tanstack/react-query';

import { getFullName } from '~/features/clients/api/full-name';
import { staffName } from '~/features/staff/api';
import type { ClientRow, StaffRow, TicketStatus } from '~/lib/api/database';
import { pollEvery } from '~/lib/api/live-status';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';
import { isUuid } from '~/lib/uuid';

import { type Attachment, type Thread, THREAD_PAGE, toThread } from './ticket-thread';
import { type Ticket, TICKET_COLUMNS, ticketKeys } from './tickets';

/** Client of a ticket, null for a ticket created through the API by a program. */
export type TicketClient = { id: string; name: string | null; email: string } | null;

/** Assignee. The name is null for a former staff member. */
export type Assignee = { id: string; name: string | null } | null;

export type AdminTicketMessage = {
  id: string;
  created_at: string;
  from_staff: boolean;
  internal: boolean;
  body: string;
  /** Name of the member who wrote; null for the client's own account and for staff. */
  member_name: string | null;
  /** Null for a client, a program or a former staff member. */
  staff: string | null;
  authorId: string | null;
  files: Attachment[];
};

export type AdminStatusChange = {
  id: string;
  created_at: string;
  from_staff: boolean;
  member_name: string | null;
  status: TicketStatus;
  staff: string | null;
};

export type AdminTicket = Ticket &
  Thread<AdminTicketMessage> & {
    /** Name of the document that the ticket is about. */
    document: string | null;
    due_at: string | null;
    client: TicketClient;
    assignee: Assignee;
    /** Newest first: of a very long history the server answers the newest part. */
    history: AdminStatusChange[];
  };

const POLL_THREAD = 15_000;

export const ADMIN_MESSAGE_COLUMNS =
  'id,created_at,from_staff,internal,body,member_name,author_id,staff(email,user_metadata),ticket_attachments(id,name,file_url,size)';

type MessageRow = Omit<AdminTicketMessage, 'staff' | 'authorId' | 'files'> & {
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
  author_id: string | null;
  ticket_attachments: Attachment[];
};

export function toAdminMessage(row: MessageRow): AdminTicketMessage {
  const { staff: author, author_id, ticket_attachments, ...message } = row;
  return { ...message, staff: author && staffName(author), authorId: author_id, files: ticket_attachments };
}

/** A ticket with its internal notes and the authors of its messages, or null if it does not exist. */
export function adminTicketQuery(id: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'office', id],
    async queryFn({ signal, queryKey }): Promise<AdminTicket | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('tickets')
        .select(
          `${TICKET_COLUMNS},documents(name),due_at,user_id,assignee_id,clients(email,user_metadata),staff(email,user_metadata),ticket_messages(${ADMIN_MESSAGE_COLUMNS}),ticket_history(id,created_at,from_staff,member_name,status,staff(email,user_metadata))`,
        )
        .eq('id', id)
        .order('created_at', { referencedTable: 'ticket_messages', ascending: false })
        .order('id', { referencedTable: 'ticket_messages', ascending: false })
        .limit(THREAD_PAGE + 1, { referencedTable: 'ticket_messages' })
        .order('created_at', { referencedTable: 'ticket_messages.ticket_attachments' })
        .order('created_at', { referencedTable: 'ticket_history', ascending: false })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      if (!data) return null;
      const { clients, documents, staff, user_id, assignee_id, ticket_messages, ticket_history, ...ticket } =
        data;
      return {
        ...ticket,
        document: documents?.name ?? null,
        client: clientOf(user_id, clients),
        assignee: assigneeOf(assignee_id, staff),
        ...toThread(ticket_messages.map(toAdminMessage), queryClient.getQueryData<AdminTicket>(queryKey)),
        history: ticket_history.map(({ staff: author, ...change }) => ({
          ...change,
          staff: author && staffName(author),
        })),
      };
    },
    staleTime: 0,
    refetchInterval: pollEvery(POLL_THREAD),
    meta: { errorToast: { title: 'Erro ao carregar ticket' } },
  });
}

export type TicketUpdate = Partial<
  Pick<Ticket, 'status' | 'priority' | 'category'> & { assignee_id: string | null }
>;

export async function updateTicket({ id, change }: { id: string; change: TicketUpdate }): Promise<void> {
  await db().from('tickets').update(change).eq('id', id).select('id').single().throwOnError();
}

/** Assigns a ticket that has no assignee. Returns whether it had none. */
export async function assignIfUnassigned(id: string, assigneeId: string): Promise<boolean> {
  const { data } = await db()
    .from('tickets')
    .update({ assignee_id: assigneeId })
    .eq('id', id)
    .is('assignee_id', null)
    .select('id')
    .throwOnError();
  return data.length > 0;
}

export function clientOf(
  id: string | null,
  row: Pick<ClientRow, 'email' | 'user_metadata'> | null,
): TicketClient {
  return row && id !== null ? { id, name: getFullName(row), email: row.email } : null;
}

export function assigneeOf(
  id: string | null,
  row: Pick<StaffRow, 'email' | 'user_metadata'> | null,
): Assignee {
  return id === null ? null : { id, name: row && staffName(row) };
}
