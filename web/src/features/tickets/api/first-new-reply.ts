// The first reply of a thread that its reader has not seen. Loaded on demand, because the thread is read first.
import { db } from '~/lib/api/postgrest';
import { isUuid } from '~/lib/uuid';

/** The replies that were made after `readAt` and not after `arrivedAt` are new. */
export type LastRead = {
  /** The last time at which the person saw the ticket with something new; null if that is not known. */
  readAt: string | null;
  /** The time of the newest reply that the person did not see; null if there is none. */
  arrivedAt: string | null;
};

type Reply = { id: string; side: 'own' | 'other'; internal?: boolean; at: string };

/**
 * Returns the id of the first new reply of a thread; undefined if nothing is new, and if everything is. If the thread
 * `hasOlder` messages between its first one and the others, the first reply that is loaded may be the one.
 */
export type FindFirstNewReply = (messages: readonly Reply[], hasOlder: boolean) => string | undefined;

/** The unread notifications about a ticket, one of each kind, and the one that was read last. */
const MAX_ROWS = 3;

/** Reads how far the person has read the ticket. */
export async function readFirstNewReply(ticketId: string): Promise<FindFirstNewReply> {
  if (!isUuid(ticketId)) return () => undefined;
  const { data } = await db()
    .from('notifications')
    .select('created_at,read_at')
    .eq('ticket_id', ticketId)
    .order('read_at', { ascending: false, nullsFirst: true })
    .limit(MAX_ROWS)
    .throwOnError();
  const unread = data.filter(({ read_at }) => read_at === null).map(({ created_at }) => created_at);
  const lastRead = {
    readAt: data.find(({ read_at }) => read_at !== null)?.read_at ?? null,
    arrivedAt: unread.toSorted().at(-1) ?? null,
  };
  return (messages, hasOlder) => findFirstNewReply(messages, lastRead, hasOlder);
}

export function findFirstNewReply(
  messages: readonly Reply[],
  { readAt, arrivedAt }: LastRead,
  hasOlder = false,
): string | undefined {
  if (arrivedAt === null) return undefined;
  // The first message is the ticket itself, whose time is that of the sender's clock.
  const known = messages.filter(({ at }, index) => index === 0 || Date.parse(at) <= Date.parse(arrivedAt));
  const own = known.findLastIndex(({ side, internal = false }) => side === 'own' && !internal);
  // Without a time, what preceded an answer of this side counts as read.
  const start = readAt === null ? own + 1 : 1;
  if (start === 0 && !hasOlder) return undefined;
  return known
    .slice(Math.max(start, 1))
    .find(({ side, at }) => side === 'other' && (readAt === null || Date.parse(at) > Date.parse(readAt)))?.id;
}
