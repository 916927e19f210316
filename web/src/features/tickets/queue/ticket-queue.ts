// Tickets that were written without a network. They are drafts that the browser sends by itself: they live beside the
// drafts in the storage of the browser, under the id of the person, and leave it at the sign-out with them.
import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';

import type { NewTicket } from '~/features/tickets/api/tickets';
import { QUEUE_KIND } from '~/features/tickets/draft-kinds';
import { parseDraft } from '~/features/tickets/ticket-draft';
import { draftStorageKey, listDraftIds, listDraftKeys } from '~/lib/drafts/draft-keys';
import type { Draft } from '~/lib/drafts/drafts';
import { safeLocalStorage } from '~/lib/safe-storage';

export type QueuedTicket = Draft<NewTicket> & {
  /** When it was written, in milliseconds. */
  at: number;
  /** Id of the client for whom the person acted. */
  client: string;
  /**
   * `sending` from the first attempt on: without its answer the ticket may exist or not, so it is only
   * repeated, under the same idempotency key. `refused` by the server, so it does not exist.
   */
  state: 'waiting' | 'sending' | 'refused';
  /** Why the server refused it. */
  reason: string | null;
};

const storedSchema = z.object({
  key: z.uuid(),
  at: z.number(),
  client: z.string(),
  state: z.enum(['waiting', 'sending', 'refused']),
  reason: z.nullable(z.string()),
  values: z.unknown(),
});

const listeners = new Set<() => void>();

/** The queued tickets of a person, oldest first. Invalid entries are skipped. */
export function listQueuedTickets(userId: string): QueuedTicket[] {
  return listDraftIds(userId, QUEUE_KIND)
    .flatMap((id) => read(userId, id) ?? [])
    .toSorted((one, other) => one.at - other.at);
}

export function saveQueuedTicket(
  userId: string,
  { id, idempotencyKey: key, at, client, state, reason, values }: QueuedTicket,
): void {
  // After a sign-out the page stays for a moment without a user.
  if (userId === '') return;
  const stored = { key, at, client, state, reason, values };
  safeLocalStorage.set(draftStorageKey(userId, QUEUE_KIND, id), JSON.stringify(stored));
  notifyListeners();
}

/** Changes a queued ticket, unless a sign-out has deleted it meanwhile. */
export function changeQueuedTicket(userId: string, ticket: QueuedTicket): void {
  if (read(userId, ticket.id)) saveQueuedTicket(userId, ticket);
}

export function deleteQueuedTicket(userId: string, id: string): void {
  safeLocalStorage.remove(draftStorageKey(userId, QUEUE_KIND, id));
  notifyListeners();
}

/** The queued tickets of a person, also after a change in another tab. */
export function useQueuedTickets(userId: string): QueuedTicket[] {
  useSyncExternalStore(subscribe, () => snapshot(userId));
  return listQueuedTickets(userId);
}

function snapshot(userId: string): string {
  const prefix = draftStorageKey(userId, QUEUE_KIND, '');
  const keys = listDraftKeys(userId).filter((key) => key.startsWith(prefix));
  return keys.map((key) => key + (safeLocalStorage.get(key) ?? '')).join('\n');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

function read(userId: string, id: string): QueuedTicket | undefined {
  try {
    const text = safeLocalStorage.get(draftStorageKey(userId, QUEUE_KIND, id)) ?? '';
    const { data } = storedSchema.safeParse(JSON.parse(text));
    const values = data && parseDraft(data.values);
    if (!data || !values) return undefined;
    const { key, at, client, state, reason } = data;
    return { id, idempotencyKey: key, at, client, state, reason, values };
  } catch {
    return undefined;
  }
}
