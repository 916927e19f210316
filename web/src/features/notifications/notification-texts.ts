// Texts and links of notifications, and the records that pages show.
import { matchPath } from 'react-router';

import type { NotificationKind } from '~/lib/api/database';
import { isUuid } from '~/lib/uuid';
import { paths, patterns } from '~/paths';

import type { Notification, NotificationArea } from './api/notifications';

/** The content of a page: one record, or everything of some kinds. */
export type NotificationRecord =
  | { column: 'document_id' | 'ticket_id'; id: string }
  | { kinds: readonly NotificationKind[] };

const portalTitles: Record<NotificationKind, string> = {
  document_new: 'Novo documento',
  document_withdrawn: 'O escritório recolheu um documento',
  approval_asked: 'Documento espera a sua resposta',
  ticket_new: 'O escritório abriu um ticket',
  ticket_reply: 'Resposta do escritório',
  request_new: 'O escritório pede um documento',
  request_refused: 'O escritório pede que você envie de novo',
  request_answered: 'Solicitação respondida',
  files_received: 'Arquivos enviados',
  approval_answered: 'Documento respondido',
  payment_reported: 'Pagamento informado',
  documents_unopened: 'Você ainda não abriu documentos',
  requests_unanswered: 'O escritório espera documentos seus',
};

const adminTitles: Record<NotificationKind, string> = {
  ...portalTitles,
  ticket_new: 'Novo ticket',
  ticket_reply: 'Nova mensagem do cliente',
  request_answered: 'Solicitação respondida',
  files_received: 'Arquivos recebidos',
  approval_answered: 'Resposta a um documento',
  payment_reported: 'Pagamento informado pelo cliente',
  documents_unopened: 'Documentos não abertos',
  requests_unanswered: 'Solicitações sem resposta',
};

const requestKinds = {
  portal: ['request_new', 'request_refused', 'requests_unanswered'],
  admin: ['request_answered', 'files_received', 'requests_unanswered'],
} as const satisfies Record<NotificationArea, readonly NotificationKind[]>;

/** The title, the link, and what the notification is about. */
export function describeNotification(notification: Notification, area: NotificationArea) {
  const { kind, name, client } = notification;
  return {
    title: (area === 'admin' ? adminTitles : portalTitles)[kind],
    to: linkOf(notification, area),
    about: [client, name].filter((part) => part !== null).join(' · '),
  };
}

function linkOf(
  { kind, document_id: document, ticket_id: ticket, item }: Notification,
  area: NotificationArea,
): string {
  const isAdmin = area === 'admin';
  if (document !== null) return isAdmin ? paths.adminDocument(document) : paths.document(document);
  if (ticket !== null) return isAdmin ? paths.adminTicket(ticket) : paths.ticket(ticket);
  if (kind === 'document_withdrawn') return paths.documents();
  if (kind === 'files_received') return paths.adminReceivedFiles();
  if (kind === 'documents_unopened') return isAdmin ? paths.adminUnopened() : paths.documents();
  if (!isAdmin) return paths.requests();
  // The first list has only answers to check.
  return item === null || item.status === 'answered'
    ? paths.adminRequests()
    : paths.adminRequestMonth(item.month);
}

/** The content of the page at a path, if notifications can be about it. */
export function recordOf(pathname: string, area: NotificationArea): NotificationRecord | null {
  const { client, admin } = patterns;
  const isAdmin = area === 'admin';
  const idIn = (pattern: string, param: string) => {
    const id = matchPath(pattern, pathname)?.params[param];
    return id !== undefined && isUuid(id) ? id : null;
  };
  const ticket = idIn(isAdmin ? admin.adminTicket : client.ticket, 'ticketId');
  if (ticket !== null) return { column: 'ticket_id', id: ticket };
  const document = idIn(isAdmin ? admin.adminDocument : client.document, 'documentId');
  if (document !== null) return { column: 'document_id', id: document };
  if (pathname === (isAdmin ? admin.adminRequests : client.requests)) return { kinds: requestKinds[area] };
  if (isAdmin && pathname === admin.adminUnopened) return { kinds: ['documents_unopened'] };
  if (pathname === client.documents) return { kinds: ['document_withdrawn', 'documents_unopened'] };
  return null;
}
