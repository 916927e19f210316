// The tables that pages of the back office show.
import { clientKeys } from '~/features/clients/api/clients';
import { documentKeys } from '~/features/documents/api/documents';
import { emailKeys } from '~/features/email/api/log';
import { folderKeys } from '~/features/folders/api';
import { inboxKeys } from '~/features/inbox/api';
import { memberKeys } from '~/features/members/api';
import { notificationKeys } from '~/features/notifications/api/notifications';
import { requestKeys } from '~/features/requests/api/requests';
import { ticketKeys } from '~/features/tickets/api/tickets';

import type { TableQueries } from './live-updates';

// The list of clients counts documents that wait and open tickets.
const clientList = [...clientKeys.all, 'list'];
const tickets = [ticketKeys.all, notificationKeys.all];
const answers = [documentKeys.all, clientList, notificationKeys.all];
const requests = [requestKeys.all, notificationKeys.all];

export const adminTables: TableQueries = {
  // The people of a client include its own account.
  clients: [clientKeys.all, memberKeys.all],
  // The inbox shows withdrawn documents.
  documents: [documentKeys.all, folderKeys.all, clientList, inboxKeys.all],
  deleted_documents: [documentKeys.all],
  document_receipts: [documentKeys.all, clientList],
  document_contacts: [documentKeys.all, clientList],
  document_payments: answers,
  document_approvals: answers,
  folders: [folderKeys.all],
  inbox_files: [inboxKeys.all],
  tickets: [...tickets, clientList],
  ticket_messages: tickets,
  ticket_attachments: [ticketKeys.all],
  ticket_presence: [[...ticketKeys.all, 'presence']],
  request_items: requests,
  received_files: requests,
  client_assignments: [clientKeys.all],
  outbox: [emailKeys.all],
};
