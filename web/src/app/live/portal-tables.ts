// The tables that pages of the client area show.
import { documentKeys } from '~/features/documents/api/documents';
import { unreadKeys } from '~/features/documents/api/read-receipts';
import { folderKeys } from '~/features/folders/api';
import { notificationKeys } from '~/features/notifications/api/notifications';
import { requestKeys } from '~/features/requests/api/requests';
import { ticketKeys } from '~/features/tickets/api/tickets';

import type { TableQueries } from './live-updates';

const tickets = [ticketKeys.all, notificationKeys.all];
const documents = [documentKeys.all, folderKeys.all, notificationKeys.all];
const requests = [requestKeys.all, notificationKeys.all];

export const portalTables: TableQueries = {
  documents,
  // The page of the document itself causes the receipt.
  document_receipts: [unreadKeys.folders, unreadKeys.counts, [...documentKeys.all, 'overdue']],
  document_payments: [documentKeys.all],
  document_approvals: [documentKeys.all],
  folders: [folderKeys.all],
  tickets,
  ticket_messages: tickets,
  ticket_attachments: [ticketKeys.all],
  request_items: requests,
  received_files: requests,
};
