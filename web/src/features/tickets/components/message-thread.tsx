// Message thread of a ticket, with attachments.
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';

import type { FindFirstNewReply } from '~/features/tickets/api/first-new-reply';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime, formatLongDate } from '~/lib/dates';
import { getExtension, isPicture } from '~/lib/files/file-name';
import { formatSize, getInitials } from '~/lib/format';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { FileIcon } from '~/ui/file-icon';

// Loaded on demand, because few messages have pictures.
const PictureGallery = lazy(async () => ({
  default: (await import('~/features/documents/viewer/picture-gallery')).PictureGallery,
}));

/** The types that the server scales down. */

/** Length of the time at the end of a formatted date and time. */
const TIME_LENGTH = 'HH:mm'.length;

type ThreadFile = { id: string; name: string; file_url: string; size: number };

export type ThreadMessage<File extends ThreadFile> = {
  id: string;
  /** Side of the conversation, seen from the person on the screen: own messages are at the right. */
  side: 'own' | 'other';
  /** Whether only the staff sees the message. */
  internal?: boolean;
  author: string;
  /** Name for the initials; the author by default. */
  initialsOf?: string;
  /** Badge beside the author. */
  badge?: ReactNode;
  at: string;
  body: string;
  files: readonly File[];
};

type ThreadProps<File extends ThreadFile> = {
  ticketId: string;
  /** The first message of the ticket, and those after it that are loaded. */
  messages: readonly ThreadMessage<File>[];
  /** Button that loads the messages between the first one and the others; false if there are none. */
  older: ReactNode;
  download: (file: File) => Promise<void>;
};

/** Thread in chronological order, grouped by day. It is a live region, so screen readers announce new messages. */
export function MessageThread<File extends ThreadFile>({
  ticketId,
  messages,
  older,
  download,
}: ThreadProps<File>) {
  // The loader of the page starts the query.
  const firstNew = useQuery<FindFirstNewReply>({
    queryKey: ticketKeys.firstNewReply(ticketId),
    enabled: false,
  });
  const hasOlder = older !== false;
  const firstNewId = firstNew.data?.(messages, hasOlder);
  return (
    <Panel title="Conversa">
      <div role="log" aria-label="Mensagens">
        <ol className="flex flex-col gap-5 p-4 sm:p-5">
          {messages.flatMap((message, index) => {
            const day = formatLongDate(message.at);
            const previous = messages[index - 1];
            const isAfterGap = hasOlder && index === 1;
            return [
              isAfterGap && (
                <li key="older" className="min-h-11 text-center">
                  <Suspense>{older}</Suspense>
                </li>
              ),
              <li key={message.id}>
                {message.id === firstNewId && (
                  <h3 className="text-primary before:bg-primary/40 after:bg-primary/40 mb-4 flex items-center gap-3 text-sm font-semibold before:h-px before:flex-1 after:h-px after:flex-1">
                    Novas respostas
                  </h3>
                )}
                {(isAfterGap || previous === undefined || formatLongDate(previous.at) !== day) && (
                  <p className="text-muted-foreground mb-4 text-center text-sm tabular-nums">{day}</p>
                )}
                <Message message={message} download={download} />
              </li>,
            ];
          })}
        </ol>
      </div>
    </Panel>
  );
}

function Message<File extends ThreadFile>({
  message,
  download,
}: {
  message: ThreadMessage<File>;
  download: (file: File) => Promise<void>;
}) {
  const { side, internal = false, author, initialsOf = author, badge, at, body, files } = message;
  const isOwn = side === 'own';
  const pictures = files.filter(({ name }) => isPicture(name));
  return (
    <div className={cn('flex gap-2 sm:gap-2.5', isOwn ? 'flex-row-reverse sm:pl-12' : 'sm:pr-12')}>
      <span
        aria-hidden
        className={cn(
          'mt-1 flex size-7 shrink-0 items-center justify-center rounded-full text-xs font-medium sm:size-9 sm:text-caption',
          isOwn ? 'bg-primary-subtle text-primary' : 'bg-neutral-subtle text-neutral',
        )}
      >
        {getInitials(initialsOf)}
      </span>
      <div
        className={cn(
          'min-w-0 rounded-xl border px-4 py-3',
          isOwn ? 'rounded-tr-sm' : 'rounded-tl-sm',
          internal && 'border-warning/40 border-dashed bg-warning-subtle',
          !internal && (isOwn ? 'border-transparent bg-primary-subtle' : 'border-border bg-card'),
        )}
      >
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-semibold wrap-anywhere">{author}</span>
          {badge}
          <time dateTime={at} className="text-sm tabular-nums">
            {formatDateTime(at).slice(-TIME_LENGTH)}
          </time>
        </p>
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{body}</p>
        {pictures.length > 0 && (
          <Suspense>
            <div className="mt-3">
              <PictureGallery
                bucket="ticket-attachments"
                pictures={pictures}
                download={async (id) => {
                  const file = files.find((one) => one.id === id);
                  if (file) await download(file);
                }}
              />
            </div>
          </Suspense>
        )}
        {files.length > 0 && (
          <ul aria-label="Anexos" className="mt-3 flex flex-col items-start gap-2">
            {files.map((file) => (
              <li key={file.id} className="max-w-full">
                <AttachmentButton file={file} download={download} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

type AttachmentButtonProps<File> = { file: File; download: (file: File) => Promise<void> };

function AttachmentButton<File extends ThreadFile>({ file, download }: AttachmentButtonProps<File>) {
  const fetching = useApiMutation({
    mutationFn: () => download(file),
    errorToast: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });
  return (
    <button
      type="button"
      aria-busy={fetching.isPending || undefined}
      onClick={() => fetching.mutate()}
      className="touch-target border-border bg-card hover:bg-muted text-body flex max-w-full items-center gap-2.5 rounded border px-3 py-2 text-left transition-colors"
    >
      <FileIcon type={getExtension(file.name)} path={file.file_url} size={20} className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span className="sr-only">Baixar </span>
        {file.name}
      </span>{' '}
      <span className="text-muted-foreground shrink-0 text-sm tabular-nums">{formatSize(file.size)}</span>
      <Download size={18} aria-hidden className="text-muted-foreground shrink-0" />
    </button>
  );
}
