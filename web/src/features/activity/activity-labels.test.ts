import { expect, test } from 'vitest';

import { activityFilterGroups, actorLabel, detailLabel, eventLabel, eventLabels } from './activity-labels';
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

test('an event, who did it, and what was changed are told in words', () => {
  const told = { ...line, detail: { columns: ['priority', 'status'], status: 'closed' } };
  expect([eventLabel(told), actorLabel(told), detailLabel(told)]).toEqual([
    'Ticket alterado',
    'Ana Prado',
    'prioridade, status: Fechado',
  ]);
});

test('whose name was erased is told by their side', () => {
  expect(actorLabel({ ...line, actor_name: null })).toBe('Equipe');
});

test('a deleted account tells what went with it', () => {
  const told = { ...line, event: 'account.deleted', detail: { documents: 1200, tickets: 1 } };
  expect(detailLabel(told)).toBe('documentos: 1.200, tickets: 1');
});

test('every event is found by one of the filters', () => {
  const kinds = activityFilterGroups.flatMap((group) => group.kinds);
  const lost = Object.keys(eventLabels).filter(
    (event) => !kinds.some((kind) => event.startsWith(`${kind}.`)),
  );
  expect(lost).toEqual([]);
});

test('an event of a newer server is shown as it is', () => {
  expect(eventLabel({ ...line, event: 'backup.made' })).toBe('backup.made');
});
