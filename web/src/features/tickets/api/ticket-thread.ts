// One ticket with all that belongs to it: the thread with the staff, its files, and which status it had when.
import { queryOptions } from '@tanstack/react-query';

import { downloadFile } from '~/features/documents/api/files';
import type { TicketStatus } from '~/lib/api/database';
import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { getErrorInfo } from '~/lib/api/errors';
import { db } from '~/lib/api/postgrest';
import { uploadFile } from '~/lib/api/upload-file';
import { attachmentPath, uniqueTimestamp } from '~/lib/files/storage-path';
import { isUuid } from '~/lib/uuid';

import { type Ticket, TICKET_COLUMNS, ticketKeys } from './tickets';

export type Attachment = { id: string; name: string; file_url: string; size: number };

export type TicketMessage = {
  id: string;
  created_at: string;
  from_staff: boolean;
  body: string;
  ticket_attachments: Attachment[];
};

export type StatusChange = { id: string; created_at: string; from_staff: boolean; status: TicketStatus };

export type TicketDetail = Ticket & { ticket_messages: TicketMessage[]; ticket_history: StatusChange[] };

/** A file that lies in storage and waits for its message. */
export type PendingAttachment = { path: string; name: string; size: number };

export type Reply = {
  ticketId: string;
  idempotencyKey: string;
  body: string;
  files: PendingAttachment[];
  internal: boolean;
};

/** For so long after its closing a reply opens a ticket again; the server refuses it later. */
const REOPEN_WINDOW = 7 * 24 * 60 * 60 * 1000;
const POLL_EVERY = 15_000;
const BUCKET = 'ticket-attachments';

/** A ticket, or null when it does not exist or belongs to someone else. While it is looked at, it is read anew. */
export function ticketQuery(id: string) {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'one', id],
    async queryFn({ signal }): Promise<TicketDetail | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('tickets')
        .select(
          `${TICKET_COLUMNS},ticket_messages(id,created_at,from_staff,body,ticket_attachments(id,name,file_url,size)),ticket_history(id,created_at,from_staff,status)`,
        )
        .eq('id', id)
        .order('created_at', { referencedTable: 'ticket_messages' })
        .order('created_at', { referencedTable: 'ticket_messages.ticket_attachments' })
        .order('created_at', { referencedTable: 'ticket_history' })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data;
    },
    staleTime: 0,
    refetchInterval: POLL_EVERY,
    meta: { errorToast: portalLoadErrorToast },
  });
}

/** Until when a reply opens a closed ticket again. */
export function reopenDeadline({ closed_at }: Pick<Ticket, 'closed_at'>): Date | null {
  return closed_at === null ? null : new Date(Date.parse(closed_at) + REOPEN_WINDOW);
}

/** Whether it was closed so long ago that the server takes no reply any more. */
export function isPermanentlyClosed(ticket: Pick<Ticket, 'closed_at'>): boolean {
  const until = reopenDeadline(ticket);
  return until !== null && until.getTime() < Date.now();
}

/**
 * Sends a reply, then puts its files beside it. However often it is sent under one key, it is one, and so are its
 * files.
 */
export async function sendReply({ ticketId, idempotencyKey, body, files, internal }: Reply): Promise<void> {
  const { data } = await db()
    .from('ticket_messages')
    // A client knows nothing of notes.
    .insert({ ticket_id: ticketId, body, idempotency_key: idempotencyKey, ...(internal && { internal }) })
    .select('id')
    .single()
    .throwOnError();
  try {
    for (const { path, name } of files) {
      // One after the other, so that they stand in the order in which they were chosen.
      // oxlint-disable-next-line eslint/no-await-in-loop
      await db()
        .from('ticket_attachments')
        .insert({ message_id: data.id, name, file_url: path })
        .throwOnError();
    }
  } catch (cause) {
    // Lost on the way, the person hears that; refused, they hear that the words at least have arrived.
    if (getErrorInfo(cause).code === undefined) throw cause;
    throw Object.assign(new Error('The files of a reply were refused.', { cause }), {
      code: 'attachments_failed',
    });
  }
}

export type Upload = {
  /** The client's id, or the office. */
  sender: string;
  ticketId: string;
  file: File;
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/** Puts a file where it waits for its message; nothing when it was called off on the way. */
export async function uploadAttachment(upload: Upload): Promise<PendingAttachment | null> {
  const { sender, ticketId, file, onProgress, signal } = upload;
  const path = attachmentPath({ sender, ticketId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: BUCKET, path, file, onProgress, signal }))) return null;
  return { path, name: file.name.normalize('NFC').slice(0, 255), size: file.size };
}

export function downloadAttachment({ file_url: path, name }: Attachment): Promise<void> {
  return downloadFile({ path, name, bucket: BUCKET });
}
