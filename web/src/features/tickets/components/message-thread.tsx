// Message thread of a ticket, with attachments.
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';

import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDateTime } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { FileIcon } from '~/ui/file-icon';

/** Thread in chronological order. It is a live region, so screen readers announce new messages. */
export function MessageThread({ children }: { children: ReactNode }) {
  return (
    <Panel title="Conversa">
      <div role="log" aria-label="Mensagens">
        <ol className="divide-border flex flex-col divide-y">{children}</ol>
      </div>
    </Panel>
  );
}

type ThreadFile = { id: string; name: string; file_url: string; size: number };

/** Kind of author, which determines the background color. */
export type MessageVariant = 'client' | 'staff' | 'internal';

const variantClasses: Record<MessageVariant, string> = {
  client: '',
  staff: 'bg-primary-subtle/60',
  internal: 'bg-warning-subtle',
};

type MessageProps<File extends ThreadFile> = {
  variant: MessageVariant;
  author: string;
  /** Badge beside the author. */
  badge?: ReactNode;
  at: string;
  body: string;
  files: readonly File[];
  download: (file: File) => Promise<void>;
};

export function Message<File extends ThreadFile>(message: MessageProps<File>) {
  const { variant, author, badge, at, body, files, download } = message;
  return (
    <li className={cn('p-5', variantClasses[variant])}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold wrap-anywhere">{author}</span>
        {badge}
        <time
          dateTime={at}
          className={cn(
            'tabular-nums text-sm',
            variant === 'internal' ? 'text-foreground' : 'text-muted-foreground',
          )}
        >
          {formatDateTime(at)}
        </time>
      </p>
      <p className="mt-1.5 wrap-anywhere whitespace-pre-wrap">{body}</p>
      {files.length > 0 && (
        <ul aria-label="Anexos" className="mt-3 flex flex-col items-start gap-2">
          {files.map((file) => (
            <li key={file.id} className="max-w-full">
              <AttachmentButton file={file} download={download} />
            </li>
          ))}
        </ul>
      )}
    </li>
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
