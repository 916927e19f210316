// Ticket drafts. The form closes before the server responds, so the draft is stored until the ticket exists.
import * as z from 'zod/mini';

import type { NewTicket } from '~/features/tickets/api/tickets';
import { ticketKind } from '~/features/tickets/draft-kinds';
import { type DraftScope, type Draft, newDraft, listDrafts } from '~/lib/drafts/drafts';

export const ticketSchema = z.object({
  subject: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'O assunto é obrigatório'),
      z.maxLength(200, 'O assunto deve ter no máximo 200 caracteres'),
    ),
  category: z.enum(['support', 'billing', 'account', 'other']),
  priority: z.enum(['low', 'normal', 'high', 'urgent']),
  message: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { message: 'A mensagem é obrigatória', abort: true }),
      z.minLength(10, 'A mensagem deve ter pelo menos 10 caracteres'),
      z.maxLength(10_000, 'A mensagem deve ter no máximo 10.000 caracteres'),
    ),
  follow_up_of_id: z.nullable(z.uuid()),
  document_id: z.nullable(z.uuid()),
});

/** Draft values. Required fields may still be empty. */
const draftSchema = z.object({
  ...ticketSchema.shape,
  subject: z.string(),
  message: z.string(),
  // Drafts of earlier versions have no document.
  document_id: z.optional(z.nullable(z.uuid())),
});

export function parseDraft(stored: unknown): NewTicket | undefined {
  const { data } = draftSchema.safeParse(stored);
  return data && { ...data, document_id: data.document_id ?? null };
}

export const blankTicket: NewTicket = {
  subject: '',
  category: 'support',
  priority: 'normal',
  message: '',
  follow_up_of_id: null,
  document_id: null,
};

/** The drafts of a person for a client. Those for other clients of the person are not offered. */
export function ticketDraftScope(userId: string, clientId: string): DraftScope {
  return { userId, kind: ticketKind(clientId) };
}

/**
 * Initial draft of the form: the newest draft without a pending request, restricted to the ticket or document of the
 * first values if they have one, or else a draft with these values.
 */
export function pickDraft(
  scope: DraftScope,
  start: NewTicket,
  onTheWay: readonly string[],
): Draft<NewTicket> {
  const drafts = listDrafts(scope, parseDraft);
  const fits = ({ id, values }: Draft<NewTicket>) =>
    !onTheWay.includes(id) &&
    (['follow_up_of_id', 'document_id'] as const).every(
      (reference) => start[reference] === null || values[reference] === start[reference],
    );
  return drafts.find(fits) ?? newDraft(start);
}

/** Stored draft with the given ID. */
export function loadTicketDraft(scope: DraftScope, id: string): Draft<NewTicket> | undefined {
  const drafts = listDrafts(scope, parseDraft);
  return drafts.find((draft) => draft.id === id);
}

export function isEmpty({ subject, message }: NewTicket): boolean {
  return subject.trim() === '' && message.trim() === '';
}

export function areEqual(one: NewTicket, other: NewTicket): boolean {
  return (['subject', 'category', 'priority', 'message', 'follow_up_of_id', 'document_id'] as const).every(
    (field) => one[field] === other[field],
  );
}
