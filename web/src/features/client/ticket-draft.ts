// A ticket while it is being written. The form leaves the screen before the server has answered, so its
// text is kept in the tab until the ticket exists.
import * as z from 'zod/mini';

import type { NewTicket } from '~/data/tickets';

export const ticketSchema = z.object({
  subject: z.string().check(z.trim(), z.minLength(1, 'O assunto é obrigatório')),
  category: z.enum(['support', 'billing', 'account', 'other']),
  priority: z.enum(['low', 'normal', 'high', 'urgent']),
  message: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { message: 'A mensagem é obrigatória', abort: true }),
      z.minLength(10, 'A mensagem deve ter pelo menos 10 caracteres'),
    ),
});

/** What was being written; fields may still be empty. */
const draftSchema = z.object({ ...ticketSchema.shape, subject: z.string(), message: z.string() });

export const blankTicket: NewTicket = { subject: '', category: 'support', priority: 'normal', message: '' };

export function readDraft(userId: string): NewTicket | null {
  try {
    const draft = draftSchema.safeParse(JSON.parse(sessionStorage.getItem(key(userId)) ?? 'null'));
    return draft.success ? draft.data : null;
  } catch {
    // Whatever stands there is not a draft of ours.
    return null;
  }
}

export function saveDraft(userId: string, draft: NewTicket): void {
  sessionStorage.setItem(key(userId), JSON.stringify(draft));
}

export function clearDraft(userId: string): void {
  sessionStorage.removeItem(key(userId));
}

const key = (userId: string) => `portaria-ticket-draft-${userId}`;
