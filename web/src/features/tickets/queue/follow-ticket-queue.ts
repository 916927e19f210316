import { QUEUE_KIND } from '~/features/tickets/draft-kinds';
import { serverStatus } from '~/lib/api/server-status';
// Sends the queued tickets when the server is reachable.
import { listDraftIds } from '~/lib/drafts/draft-keys';

/** Time until the next attempt if the server answers but cannot take a ticket now, in milliseconds. */
const RETRY_MS = 60_000;

/** Returns the function that ends it. */
export function followTicketQueue(userId: string): () => void {
  let retry: ReturnType<typeof setTimeout> | undefined;
  const send = async () => {
    clearTimeout(retry);
    if (serverStatus.get() !== 'up' || listDraftIds(userId, QUEUE_KIND).length === 0) return;
    const { sendQueuedTickets } = await import('./send-queued-tickets');
    if (await sendQueuedTickets(userId)) return;
    retry = setTimeout(start, RETRY_MS);
  };
  const start = () => {
    void send().catch(() => {
      retry = setTimeout(start, RETRY_MS);
    });
  };
  start();
  const unsubscribe = serverStatus.subscribe(start);
  return () => {
    clearTimeout(retry);
    unsubscribe();
  };
}
