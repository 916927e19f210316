// Sends the queued tickets. One tab at a time sends, and the idempotency key makes a repeated request safe.
import { session } from '~/features/auth/session';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { createTicket, ticketKeys } from '~/features/tickets/api/tickets';
import { ticketDraftScope } from '~/features/tickets/ticket-draft';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo, isSessionExpired } from '~/lib/api/errors';
import { queryClient, refetchChanged } from '~/lib/api/query-client';
import { newDraft, saveDraft } from '~/lib/drafts/drafts';
import { toast } from '~/lib/toast';

import { changeQueuedTicket, deleteQueuedTicket, listQueuedTickets, type QueuedTicket } from './ticket-queue';

const LOCK = 'portaria-ticket-queue';

/** Codes of answers after which the same request fails again: values that the server does not take, and rights. */
const REFUSED = /^(?:2[123]|42|PGRST[12])/;

/** Sends what was written for the client for whom the session acts. False if a ticket should be tried again later. */
export async function sendQueuedTickets(userId: string): Promise<boolean> {
  return navigator.locks.request(LOCK, async () => {
    const waiting = listQueuedTickets(userId).filter(({ state }) => state !== 'refused');
    if (waiting.length === 0) return true;
    // Another tab may have switched to another client.
    const clients = await queryClient.fetchQuery({ ...clientChoiceQuery(), staleTime: 0 });
    const active = clients.find(({ is_active: isActive }) => isActive)?.id;
    for (const ticket of waiting) {
      if (ticket.client !== active) continue;
      // In sequence, to keep the order in which they were written.
      // oxlint-disable-next-line eslint/no-await-in-loop
      if (session.get().user?.id !== userId || !(await send(userId, ticket))) return false;
    }
    return true;
  });
}

async function send(userId: string, ticket: QueuedTicket): Promise<boolean> {
  changeQueuedTicket(userId, { ...ticket, state: 'sending' });
  try {
    await createTicket(ticket);
  } catch (error) {
    // The server did not look at the ticket. It is sent after the next sign-in.
    if (isSessionExpired(error)) changeQueuedTicket(userId, ticket);
    if (!REFUSED.test(getErrorInfo(error).code ?? '')) return false;
    const reason = toUserMessage(error, 'O portal não aceitou este ticket.');
    changeQueuedTicket(userId, { ...ticket, state: 'refused', reason });
    return true;
  }
  deleteQueuedTicket(userId, ticket.id);
  toast({ title: 'Ticket criado', description: `“${ticket.values.subject}” foi enviado ao escritório.` });
  await refetchChanged(ticketKeys.all);
  return true;
}

/** Deletes a queued ticket. False if it is being sent. */
export function discardQueuedTicket(userId: string, id: string): Promise<boolean> {
  return takeOut(userId, id, () => {});
}

/** Makes a queued ticket a draft of the form again. False if it is being sent. */
export function reopenQueuedTicket(userId: string, id: string): Promise<boolean> {
  return takeOut(userId, id, ({ client, values }) =>
    saveDraft(ticketDraftScope(userId, client), newDraft(values, id)),
  );
}

async function takeOut(userId: string, id: string, keep: (ticket: QueuedTicket) => void): Promise<boolean> {
  return navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
    const ticket = lock && listQueuedTickets(userId).find((queued) => queued.id === id);
    if (!ticket || ticket.state === 'sending') return false;
    keep(ticket);
    deleteQueuedTicket(userId, id);
    return true;
  });
}
