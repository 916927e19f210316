// Puts a ticket into the queue of those that the browser sends by itself.
import { type ClientChoice, clientChoiceQuery } from '~/features/members/client-choice';
import type { NewTicket } from '~/features/tickets/api/tickets';
import { getImpersonation } from '~/lib/api/impersonation';
import { queryClient } from '~/lib/api/query-client';
import type { Draft } from '~/lib/drafts/drafts';

import { saveQueuedTicket } from './ticket-queue';

/**
 * False if the ticket cannot be sent without the person: the browser cannot keep two tabs from sending it twice, or it is
 * not known for which client the person acts.
 */
export function queueTicket(userId: string, draft: Draft<NewTicket>): boolean {
  const choices = queryClient.getQueryData<ClientChoice[]>(clientChoiceQuery().queryKey);
  const client = choices?.find(({ is_active: isActive }) => isActive)?.id;
  if (!('locks' in navigator) || client === undefined || getImpersonation()) return false;
  saveQueuedTicket(userId, { ...draft, at: Date.now(), client, state: 'waiting', reason: null });
  return true;
}
