import { expect, test } from 'vitest';

import { prependOlder } from './prepend-older';
import { THREAD_PAGE, toThread } from './ticket-thread';

/** Messages with the numbers from `first` to `last`, in chronological order. */
const messages = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => ({
    id: `${first + at}`,
    created_at: `2026-11-20T10:00:00.${String(first + at).padStart(6, '0')}Z`,
  }));

/** A response with the newest of `count` messages. */
const newest = (count: number) => messages(Math.max(1, count - THREAD_PAGE), count).toReversed();

test('toThread › a page of messages is a whole thread, and one more is not', () => {
  expect(toThread(newest(50))).toEqual({ messages: messages(1, 50), hasOlder: false });
  expect(toThread(newest(51))).toEqual({ messages: messages(2, 51), hasOlder: true });
});

test('toThread › messages that are on the screen stay when new ones arrive', () => {
  const shown = { messages: messages(11, 120), hasOlder: true };
  expect(toThread(newest(122), shown)).toEqual({ messages: messages(11, 122), hasOlder: true });
  const whole = { messages: messages(1, 50), hasOlder: false };
  expect(toThread(newest(51), whole)).toEqual({ messages: messages(1, 51), hasOlder: false });
  expect(toThread(newest(50), whole)).toEqual(whole);
});

test('toThread › a thread has no gaps after more than a page of new messages', () => {
  const shown = { messages: messages(1, 60), hasOlder: false };
  expect(toThread(newest(110), shown)).toEqual({ messages: messages(1, 110), hasOlder: false });
  expect(toThread(newest(111), shown)).toEqual({ messages: messages(62, 111), hasOlder: true });
});

test('prependOlder › older messages come before the thread that they were read for', () => {
  const thread = { subject: 'Guia', messages: messages(61, 110), hasOlder: true };
  const first = { id: '61' };
  const all = { ...thread, messages: messages(11, 110) };
  expect(prependOlder(thread, first, messages(10, 60).toReversed())).toEqual(all);
  const rest = prependOlder(all, { id: '11' }, messages(1, 10).toReversed());
  expect(rest).toEqual({ subject: 'Guia', messages: messages(1, 110), hasOlder: false });
  expect(prependOlder(all, first, messages(10, 60).toReversed())).toBe(all);
});
