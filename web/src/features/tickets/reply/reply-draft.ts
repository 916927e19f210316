// Reply drafts: text and uploaded attachments.
import * as z from 'zod/mini';

import type { PendingAttachment } from '~/features/tickets/api/ticket-thread';
import { type DraftScope, type Draft, newDraft, listDrafts } from '~/lib/drafts/drafts';

export type ReplyValues = {
  body: string;
  /** In the order of choice: `at` is the time at which the upload began. */
  files: (PendingAttachment & { at: number })[];
  /**
   * Whether the draft is an internal note. It is stored, so that a reload cannot turn a note into a reply to the
   * client.
   */
  internal: boolean;
};

/** Lifetime of an unattached file in a draft, in milliseconds, an hour below the server's limit of one day. */
const ATTACHMENT_TTL = 23 * 60 * 60 * 1000;
/** ID of the only draft of a ticket. */
const DRAFT_ID = 'reply';

const valuesSchema = z.object({
  body: z.string(),
  files: z.array(z.object({ path: z.string(), name: z.string(), size: z.number(), at: z.number() })),
  internal: z.optional(z.boolean()),
});

export function replyDraftScope(userId: string, ticketId: string): DraftScope {
  return { userId, kind: `reply-${ticketId}` };
}

/** Stored draft of a ticket, without attachments that have expired. */
export function loadReplyDraft(scope: DraftScope): Draft<ReplyValues> {
  const [kept] = listDrafts(scope, (values) => {
    const parsed = valuesSchema.safeParse(values).data;
    return parsed && { ...parsed, internal: parsed.internal ?? false };
  });
  if (!kept) return emptyReply();
  const { files } = kept.values;
  const available = files.filter(({ at }) => Date.now() - at < ATTACHMENT_TTL);
  return available.length === files.length ? kept : newDraft({ ...kept.values, files: available }, DRAFT_ID);
}

export function emptyReply(): Draft<ReplyValues> {
  return newReplyDraft({ body: '', files: [], internal: false });
}

export function newReplyDraft(values: ReplyValues): Draft<ReplyValues> {
  return newDraft(values, DRAFT_ID);
}

/** Part of the draft written during the request. Text that was edited in the middle is kept whole. */
export function rebaseReply(sent: ReplyValues, now: ReplyValues): ReplyValues {
  const sentPaths = sent.files.map(({ path }) => path);
  return {
    ...now,
    body: now.body.startsWith(sent.body) ? now.body.slice(sent.body.length).trimStart() : now.body,
    files: now.files.filter(({ path }) => !sentPaths.includes(path)),
  };
}
