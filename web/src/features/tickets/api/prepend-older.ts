// Older messages of a thread, which are read on demand.
import { quoteFilterValue } from '~/lib/api/postgrest-filters';

import { type Thread, toThread } from './ticket-thread';

type Cursor = { id: string; created_at: string };

/** The filter for the messages before one. */
export function isBefore({ id, created_at }: Cursor): string {
  const at = quoteFilterValue(created_at);
  return `created_at.lt.${at},and(created_at.eq.${at},id.lt.${quoteFilterValue(id)})`;
}

/**
 * The thread with the messages before `first`, of which `older` begins with the newest one. A thread that begins with
 * another message by now stays as it is.
 */
export function prependOlder<Message extends Cursor, Shown extends Thread<Message>>(
  thread: Shown,
  first: { id: string },
  older: readonly Message[],
): Shown {
  if (thread.messages[0]?.id !== first.id) return thread;
  const { messages, hasOlder } = toThread(older);
  return { ...thread, messages: [...messages, ...thread.messages], hasOlder };
}
