// A reply while it is being written: its words, and the files that wait in storage for it.
import * as z from 'zod/mini';

import type { PendingAttachment } from '~/features/tickets/api/ticket-thread';
import { type DraftScope, type Draft, newDraft, listDrafts } from '~/lib/drafts/drafts';

export type ReplyValues = {
  body: string;
  files: (PendingAttachment & { at: number })[];
  /** A note among staff. Kept along, lest a note be sent to the client after a reload. */
  internal: boolean;
};

/** The server keeps a file without its message for a day; a little before that it is asked for again. */
const ATTACHMENT_TTL = 23 * 60 * 60 * 1000;
/** One reply at a time is written under a ticket. */
const DRAFT_ID = 'reply';

const wordsSchema = z.object({
  body: z.string(),
  files: z.array(z.object({ path: z.string(), name: z.string(), size: z.number(), at: z.number() })),
  internal: z.optional(z.boolean()),
});

export function replyDraftScope(userId: string, ticketId: string): DraftScope {
  return { userId, kind: `reply-${ticketId}` };
}

/** What was being written under a ticket, without the files that the server no longer has. */
export function loadReplyDraft(scope: DraftScope): Draft<ReplyValues> {
  const [kept] = listDrafts(scope, (values) => {
    const words = wordsSchema.safeParse(values).data;
    return words && { ...words, internal: words.internal ?? false };
  });
  if (!kept) return emptyReply();
  const { files } = kept.values;
  const there = files.filter(({ at }) => Date.now() - at < ATTACHMENT_TTL);
  return there.length === files.length ? kept : newDraft({ ...kept.values, files: there }, DRAFT_ID);
}

export function emptyReply(): Draft<ReplyValues> {
  return newReplyDraft({ body: '', files: [], internal: false });
}

export function newReplyDraft(values: ReplyValues): Draft<ReplyValues> {
  return newDraft(values, DRAFT_ID);
}

/** What was written and attached while a reply was on its way. Words that were changed within stay whole. */
export function rebaseReply(sent: ReplyValues, now: ReplyValues): ReplyValues {
  const gone = sent.files.map(({ path }) => path);
  return {
    ...now,
    body: now.body.startsWith(sent.body) ? now.body.slice(sent.body.length).trimStart() : now.body,
    files: now.files.filter(({ path }) => !gone.includes(path)),
  };
}
