import { Download } from 'lucide-react';

import { type Attachment, downloadAttachment, type TicketDetail } from '~/data/ticket';
import { formatDateTime } from '~/lib/dates';
import { extensionOf } from '~/lib/file-name';
import { formatSize } from '~/lib/format';
import { useAction } from '~/lib/use-action';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/class-names';
import { FileIcon } from '~/ui/file-icon';

/** What was said, oldest first: the ticket's own message, then both sides' replies. New ones are read aloud. */
export function TicketThread({ ticket }: { ticket: TicketDetail }) {
  return (
    <Panel title="Conversa">
      <div role="log" aria-label="Mensagens">
        <ol className="divide-hairline flex flex-col divide-y">
          <Message fromStaff={false} at={ticket.created_at} body={ticket.message} files={[]} />
          {ticket.ticket_messages.map(({ id, from_staff, created_at, body, ticket_attachments }) => (
            <Message key={id} fromStaff={from_staff} at={created_at} body={body} files={ticket_attachments} />
          ))}
        </ol>
      </div>
    </Panel>
  );
}

type MessageProps = { fromStaff: boolean; at: string; body: string; files: readonly Attachment[] };

function Message({ fromStaff, at, body, files }: MessageProps) {
  return (
    <li className={cn('p-5', fromStaff && 'bg-primary-tint/60')}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold">{fromStaff ? 'Equipe' : 'Você'}</span>
        <time dateTime={at} className="tabular text-muted text-sm">
          {formatDateTime(at)}
        </time>
      </p>
      <p className="mt-1.5 wrap-anywhere whitespace-pre-wrap">{body}</p>
      {files.length > 0 && (
        <ul aria-label="Anexos" className="mt-3 flex flex-col items-start gap-2">
          {files.map((file) => (
            <li key={file.id} className="max-w-full">
              <AttachmentButton file={file} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function AttachmentButton({ file }: { file: Attachment }) {
  const download = useAction({
    run: () => downloadAttachment(file),
    failure: {
      title: 'Arquivo não disponível',
      fallback: 'Não foi possível baixar o arquivo. Tente novamente.',
    },
  });
  return (
    <button
      type="button"
      aria-busy={download.pending || undefined}
      onClick={() => download.run()}
      className="target border-hairline bg-surface hover:bg-sunken flex max-w-full items-center gap-2.5 rounded border px-3 py-2 text-left text-[15px] transition-colors"
    >
      <FileIcon type={extensionOf(file.name)} path={file.file_url} size={20} className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span className="sr-only">Baixar </span>
        {file.name}
      </span>{' '}
      <span className="tabular text-muted shrink-0 text-sm">{formatSize(file.size)}</span>
      <Download size={18} aria-hidden className="text-muted shrink-0" />
    </button>
  );
}
