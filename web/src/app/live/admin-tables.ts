// The tables that pages of the admin area show.
import { documentKeys } from '~/features/documents/api/documents';
import { folderKeys } from '~/features/folders/api';
import { inboxKeys } from '~/features/inbox/api';
import { notificationKeys } from '~/features/notifications/api/notifications';
import { requestKeys } from '~/features/requests/api/requests';
import { ticketKeys } from '~/features/tickets/api/tickets';

import type { TableQueries } from './live-updates';

const tickets = [ticketKeys.all, notificationKeys.all];
const answers = [documentKeys.all, notificationKeys.all];
const requests = [requestKeys.all, notificationKeys.all];

export const adminTables: TableQueries = {
  documents: [documentKeys.all, folderKeys.all],
  deleted_documents: [documentKeys.all],
  document_receipts: [documentKeys.all],
  document_contacts: [documentKeys.all],
  document_payments: answers,
  document_approvals: answers,
  folders: [folderKeys.all],
  inbox_files: [inboxKeys.all],
  tickets,
  ticket_messages: tickets,
  ticket_attachments: [ticketKeys.all],
  ticket_presence: [[...ticketKeys.all, 'presence']],
  request_items: requests,
  received_files: requests,
};
