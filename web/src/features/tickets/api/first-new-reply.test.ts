import { expect, test } from 'vitest';

import { findFirstNewReply } from './first-new-reply';

const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000000Z`;
const thread = (sides: string) =>
  sides.split('').map((side, minute) => ({
    id: `${minute}`,
    side: side === 'o' ? ('other' as const) : ('own' as const),
    internal: side === 'n',
    at: at(minute),
  }));

// Letters are messages: o of the other side, e own ones, n internal notes. Each is a minute after the one before.
test.each([
  ['nothing is new', 'eoeo', 9, null, undefined],
  ['the first after the last visit', 'eooeoo', 2, 5, '4'],
  ['an own reply after the last visit', 'eoeo', 1, 3, '3'],
  ['the first answers to a ticket', 'eoo', null, 2, '1'],
  ['a ticket that was never seen', 'oo', null, 1, undefined],
  ['an answer to a reply of the office', 'oneo', null, 3, '3'],
  ['a note after a new reply', 'oeon', null, 2, '2'],
  ['a reply that arrived on the screen', 'eoo', 1, null, undefined],
  ['an own answer on the screen', 'eooe', null, 2, '1'],
])('findFirstNewReply › %s: %s', (_, sides, read, arrived, id) => {
  const lastRead = {
    readAt: read === null ? null : at(read),
    arrivedAt: arrived === null ? null : at(arrived),
  };
  expect(findFirstNewReply(thread(sides), lastRead)).toBe(id);
});

test('findFirstNewReply › the first loaded reply is new if the last answer is older', () => {
  const lastRead = { readAt: null, arrivedAt: at(3) };
  expect(findFirstNewReply(thread('ooo'), lastRead, true)).toBe('1');
  expect(findFirstNewReply(thread('ooeo'), lastRead, true)).toBe('3');
  expect(findFirstNewReply(thread('eoo'), { readAt: at(0), arrivedAt: at(3) }, true)).toBe('1');
});
