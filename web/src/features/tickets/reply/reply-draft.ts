// A reply while it is being written: its words, and the files that wait in storage for it.
import * as z from 'zod/mini';

import type { WaitingFile } from '~/features/tickets/api/ticket';
import { type Desk, type Draft, newDraft, readDrafts } from '~/lib/drafts/drafts';

export type ReplyWords = {
  body: string;
  files: (WaitingFile & { at: number })[];
  /** A note among staff. Kept along, lest a note be sent to the client after a reload. */
  internal: boolean;
};

/** The server keeps a file without its message for a day; a little before that it is asked for again. */
const FILES_KEPT = 23 * 60 * 60 * 1000;
/** One reply at a time is written under a ticket. */
const SLOT = 'reply';

const wordsSchema = z.object({
  body: z.string(),
  files: z.array(z.object({ path: z.string(), name: z.string(), size: z.number(), at: z.number() })),
  internal: z.optional(z.boolean()),
});

export function replyDesk(userId: string, ticketId: string): Desk {
  return { userId, what: `reply-${ticketId}` };
}

/** What was being written under a ticket, without the files that the server no longer has. */
export function replyToWrite(desk: Desk): Draft<ReplyWords> {
  const [kept] = readDrafts(desk, (values) => {
    const words = wordsSchema.safeParse(values).data;
    return words && { ...words, internal: words.internal ?? false };
  });
  if (!kept) return blankReply();
  const { files } = kept.values;
  const there = files.filter(({ at }) => Date.now() - at < FILES_KEPT);
  return there.length === files.length ? kept : newDraft({ ...kept.values, files: there }, SLOT);
}

export function blankReply(): Draft<ReplyWords> {
  return changedReply({ body: '', files: [], internal: false });
}

export function changedReply(values: ReplyWords): Draft<ReplyWords> {
  return newDraft(values, SLOT);
}

/** What was written and attached while a reply was on its way. Words that were changed within stay whole. */
export function writtenSince(sent: ReplyWords, now: ReplyWords): ReplyWords {
  const gone = sent.files.map(({ path }) => path);
  return {
    ...now,
    body: now.body.startsWith(sent.body) ? now.body.slice(sent.body.length).trimStart() : now.body,
    files: now.files.filter(({ path }) => !gone.includes(path)),
  };
}
