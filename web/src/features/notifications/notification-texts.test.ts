import { expect, test } from 'vitest';

import type { Notification } from './api/notifications';
import { describeNotification, recordOf } from './notification-texts';

const ID = '0198c0de-0000-7000-8000-000000000001';

const notification: Notification = {
  id: ID,
  kind: 'ticket_reply',
  created_at: '2026-11-21T15:00:00Z',
  read_at: null,
  document_id: null,
  ticket_id: ID,
  name: 'Dúvida',
  item: null,
  client: null,
};

test('notification leads to its record in the area of the reader', () => {
  const client = describeNotification(notification, 'portal');
  expect(client).toEqual({ title: 'Resposta do escritório', to: `/tickets/${ID}`, about: 'Dúvida' });
  const staff = describeNotification({ ...notification, client: 'Padaria Aurora' }, 'admin');
  expect(staff).toEqual({
    title: 'Nova mensagem do cliente',
    to: `/admin/tickets/${ID}`,
    about: 'Padaria Aurora · Dúvida',
  });
});

test('notification without a record leads to a list', () => {
  const without = { ...notification, ticket_id: null, name: null };
  const linkOf = (kind: Notification['kind'], area: 'portal' | 'admin') =>
    describeNotification({ ...without, kind }, area).to;
  expect(linkOf('document_withdrawn', 'portal')).toBe('/documents');
  expect(linkOf('request_new', 'portal')).toBe('/solicitacoes');
  expect(linkOf('request_answered', 'admin')).toBe('/admin/solicitacoes');
  expect(linkOf('files_received', 'admin')).toBe('/admin/solicitacoes?visao=recebidos');
  expect(linkOf('documents_unopened', 'admin')).toBe('/admin/unopened');
  expect(linkOf('documents_unopened', 'portal')).toBe('/documents');
  expect(linkOf('requests_unanswered', 'admin')).toBe('/admin/solicitacoes');
});

test('notification about an item leads to the list that contains it', () => {
  const answer: Notification = { ...notification, kind: 'request_answered', ticket_id: null };
  const linkOf = (status: 'answered' | 'nothing', area: 'portal' | 'admin') =>
    describeNotification({ ...answer, item: { month: '2026-10', status } }, area).to;
  expect(linkOf('answered', 'admin')).toBe('/admin/solicitacoes');
  expect(linkOf('nothing', 'admin')).toBe('/admin/solicitacoes?visao=mes&mes=2026-10');
  expect(linkOf('nothing', 'portal')).toBe('/solicitacoes');
});

test('page shows the record of its address', () => {
  expect(recordOf(`/tickets/${ID}`, 'portal')).toEqual({ column: 'ticket_id', id: ID });
  expect(recordOf('/tickets/new', 'portal')).toBeNull();
  expect(recordOf(`/documents/view/${ID}`, 'portal')).toEqual({ column: 'document_id', id: ID });
  expect(recordOf(`/admin/documents/view/${ID}`, 'admin')).toEqual({ column: 'document_id', id: ID });
  expect(recordOf('/solicitacoes', 'portal')).toEqual({
    kinds: ['request_new', 'request_refused', 'requests_unanswered'],
  });
  expect(recordOf('/admin/unopened', 'admin')).toEqual({ kinds: ['documents_unopened'] });
  expect(recordOf('/admin/dashboard', 'admin')).toBeNull();
});
