// Unit tests of the labels of audit events.
import { expect, test } from 'vitest';

import {
  activityFilterGroups,
  actorLabel,
  detailLabel,
  eventLabel,
  eventLabels,
  getGroupEvents,
  subjectLabel,
} from './activity-labels';
import type { ActivityEntry } from './api';

const line: ActivityEntry = {
  number: 1,
  created_at: '2026-11-21T15:00:00+00:00',
  event: 'ticket.changed',
  actor: 'staff',
  actor_id: null,
  actor_name: 'Ana Prado',
  person_id: null,
  person_name: null,
  subject_id: null,
  subject: null,
  detail: {},
};

test('labels name the event, the actor and the changed fields', () => {
  const entry = { ...line, detail: { columns: ['priority', 'status'], status: 'closed' } };
  expect([eventLabel(entry), actorLabel(entry), detailLabel(entry)]).toEqual([
    'Ticket alterado',
    'Ana Prado',
    'prioridade, status: Fechado',
  ]);
});

test('labels name the status of a request and the fields of a replaced file', () => {
  const refusal = { columns: ['refusal_reason', 'status'], status: 'refused' };
  expect(detailLabel({ ...line, event: 'request.changed', detail: refusal })).toBe(
    'motivo da recusa, status: Recusado',
  );
  const replacement = { columns: ['approval_outcome', 'file_url', 'name', 'size', 'withdrawn_at'] };
  expect(detailLabel({ ...line, event: 'document.changed', detail: replacement })).toBe('arquivo, nome');
});

test('a file that is stored under an id is labeled by its place', () => {
  const opened = { ...line, event: 'file.opened', detail: { bucket: 'inbox' } };
  const id = '019ac8a5-7c1e-7d0a-9f51-0c2d4e6f8a1b';
  expect(subjectLabel({ ...opened, subject: `${id}.pdf` })).toBe('caixa de entrada');
  expect(subjectLabel({ ...opened, subject: id, detail: { bucket: 'other' } })).toBeNull();
  expect(subjectLabel({ ...opened, subject: 'balanço 2026.pdf' })).toBe('balanço 2026.pdf');
  expect(subjectLabel({ ...opened, subject: `${id}-balanço.pdf` })).toBe('balanço.pdf');
  expect(subjectLabel({ ...opened, subject: '1796042829529-contrato.pdf' })).toBe('contrato.pdf');
});

test('an erased actor is labeled by the kind of actor', () => {
  expect(actorLabel({ ...line, actor_name: null })).toBe('Equipe');
});

test('a deleted account lists the deleted documents and tickets', () => {
  const entry = { ...line, event: 'account.deleted', detail: { documents: 1200, tickets: 1 } };
  expect(detailLabel(entry)).toBe('documentos: 1.200, tickets: 1');
});

test('every event belongs to a filter group', () => {
  const kinds = activityFilterGroups.flatMap((group) => group.kinds);
  const ungrouped = Object.keys(eventLabels).filter(
    (event) => !kinds.some((kind) => event.startsWith(`${kind}.`)),
  );
  expect(ungrouped).toEqual([]);
});

test('an unknown event is labeled by its code', () => {
  expect(eventLabel({ ...line, event: 'backup.made' })).toBe('backup.made');
});

test('the events of a group are those of its kinds', () => {
  expect(getGroupEvents('escritorio')).toEqual(['office.changed']);
  expect(getGroupEvents('tickets')).toContain('saved_reply.created');
  expect(getGroupEvents('solicitacoes')).toContain('request.reminded');
  expect(getGroupEvents('')).toEqual([]);
});
