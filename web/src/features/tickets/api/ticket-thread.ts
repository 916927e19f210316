// Requests of one ticket: message thread, attachments and status history.
import { queryOptions } from '@tanstack/react-query';

import { downloadFile } from '~/features/documents/api/files';
import type { TicketStatus } from '~/lib/api/database';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getErrorInfo } from '~/lib/api/errors';
import { pollEvery } from '~/lib/api/live-status';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';
import { attachmentPath, uniqueTimestamp } from '~/lib/files/storage-path';
import { isUuid } from '~/lib/uuid';

import { type Ticket, TICKET_COLUMNS, ticketKeys } from './tickets';

export type Attachment = { id: string; name: string; file_url: string; size: number };

export type TicketMessage = {
  id: string;
  created_at: string;
  from_staff: boolean;
  body: string;
  /** Name of the member who wrote; null for the client's own account and for staff. */
  member_name: string | null;
  ticket_attachments: Attachment[];
};

export type StatusChange = {
  id: string;
  created_at: string;
  from_staff: boolean;
  /** As in a message. */
  member_name: string | null;
  status: TicketStatus;
};

/** Messages in chronological order, and whether the server has older ones. */
export type Thread<Message> = { messages: Message[]; hasOlder: boolean };

export type TicketDetail = Ticket &
  Thread<TicketMessage> & {
    documents: { name: string } | null;
    /** Newest first: of a very long history the server answers the newest part. */
    ticket_history: StatusChange[];
  };

/** Uploaded file that is not yet attached to a message. */
export type PendingAttachment = { path: string; name: string; size: number };

export type Reply = {
  ticketId: string;
  idempotencyKey: string;
  body: string;
  files: PendingAttachment[];
  internal: boolean;
};

/** Time after the closing during which a reply reopens the ticket, in milliseconds. The server enforces it. */
const REOPEN_WINDOW = 7 * 24 * 60 * 60 * 1000;
const POLL_EVERY = 15_000;
const BUCKET = 'ticket-attachments';
/** Number of messages that one request reads. One more shows whether there are older ones. */
export const THREAD_PAGE = 50;

export const MESSAGE_COLUMNS =
  'id,created_at,from_staff,body,member_name,ticket_attachments(id,name,file_url,size)';

/** The ticket, or null if it does not exist or belongs to another client. It is polled while it is on screen and the server announces no changes. */
export function ticketQuery(id: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'one', id],
    async queryFn({ signal, queryKey }): Promise<TicketDetail | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('tickets')
        .select(
          `${TICKET_COLUMNS},documents(name),ticket_messages(${MESSAGE_COLUMNS}),ticket_history(id,created_at,from_staff,member_name,status)`,
        )
        .eq('id', id)
        .order('created_at', { referencedTable: 'ticket_messages', ascending: false })
        .order('id', { referencedTable: 'ticket_messages', ascending: false })
        .limit(THREAD_PAGE + 1, { referencedTable: 'ticket_messages' })
        .order('created_at', { referencedTable: 'ticket_messages.ticket_attachments' })
        .order('created_at', { referencedTable: 'ticket_history', ascending: false })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      if (!data) return null;
      const { ticket_messages, ...ticket } = data;
      return {
        ...ticket,
        ...toThread(ticket_messages, queryClient.getQueryData<TicketDetail>(queryKey)),
      };
    },
    staleTime: 0,
    refetchInterval: pollEvery(POLL_EVERY),
    meta: { errorToast: portalLoadErrorToast },
  });
}

/**
 * The thread after a request of its newest messages. `newest` begins with the newest one. Messages that are on the screen
 * already stay, unless more than a page of messages arrived since then: the thread has no gaps.
 */
export function toThread<Message extends { id: string }>(
  newest: readonly Message[],
  shown?: Thread<Message> | null,
): Thread<Message> {
  const messages = newest.slice(0, THREAD_PAGE).toReversed();
  const before = newest[THREAD_PAGE]?.id;
  const at = shown?.messages.findIndex(({ id }) => id === before) ?? -1;
  return shown && at >= 0
    ? { messages: [...shown.messages.slice(0, at + 1), ...messages], hasOlder: shown.hasOlder }
    : { messages, hasOlder: before !== undefined };
}

/** Reads what is new in the ticket for a visit. The notification center waits for it before it marks the ticket as read. */
export function prefetchFirstNewReply(ticketId: string): void {
  const queryKey = ticketKeys.firstNewReply(ticketId);
  queryClient.removeQueries({ queryKey });
  const queryFn = async () => (await import('./first-new-reply')).readFirstNewReply(ticketId);
  void queryClient.prefetchQuery({ queryKey, queryFn });
}

/** End of the period during which a reply reopens a closed ticket, null for an open ticket. */
export function reopenDeadline({ closed_at }: Pick<Ticket, 'closed_at'>): Date | null {
  return closed_at === null ? null : new Date(Date.parse(closed_at) + REOPEN_WINDOW);
}

/** Whether the ticket is closed and the server rejects further replies. */
export function isPermanentlyClosed(ticket: Pick<Ticket, 'closed_at'>): boolean {
  const until = reopenDeadline(ticket);
  return until !== null && until.getTime() < Date.now();
}

/** Sends a reply, then attaches its files. The idempotency key makes retries safe for the message and its files. */
export async function sendReply({ ticketId, idempotencyKey, body, files, internal }: Reply): Promise<void> {
  const { data } = await db()
    .from('ticket_messages')
    // Clients omit `internal`, which only staff may set.
    .insert({ ticket_id: ticketId, body, idempotency_key: idempotencyKey, ...(internal && { internal }) })
    .select('id')
    .single()
    .throwOnError();
  try {
    for (const { path, name } of files) {
      // In sequence, to keep the order of the selection.
      // oxlint-disable-next-line eslint/no-await-in-loop
      await db()
        .from('ticket_attachments')
        .insert({ message_id: data.id, name, file_url: path })
        .throwOnError();
    }
  } catch (cause) {
    // A network failure is reported as such. A rejected file has its own message, because the reply has been saved.
    if (getErrorInfo(cause).code === undefined) throw cause;
    throw Object.assign(new Error('The files of a reply were refused.', { cause }), {
      code: 'attachments_failed',
    });
  }
}

export type Upload = {
  /** The office; null for the client for whom the session acts. */
  sender: string | null;
  ticketId: string;
  file: File;
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/** Uploads a file for a later message. Returns null if the upload was aborted. */
export async function uploadAttachment(upload: Upload): Promise<PendingAttachment | null> {
  const { ticketId, file, onProgress, signal } = upload;
  const [sender, { uploadFile }] = await Promise.all([
    upload.sender ?? readActiveClientId(),
    // Loaded on demand, because a ticket is read before anything is sent.
    import('~/lib/api/upload-file'),
  ]);
  const path = attachmentPath({ sender, ticketId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: BUCKET, path, file, onProgress, signal }))) return null;
  return { path, name: file.name.normalize('NFC').slice(0, 255), size: file.size };
}

/** The client for whom the session acts. Loaded on demand, like the upload. */
async function readActiveClientId(): Promise<string> {
  const { activeClientId } = await import('~/features/members/api');
  return activeClientId();
}

export function downloadAttachment({ file_url: path, name }: Attachment): Promise<void> {
  return downloadFile({ path, name, bucket: BUCKET });
}
