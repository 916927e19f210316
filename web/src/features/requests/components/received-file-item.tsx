// A file that a client sent, in a list.
import { Download } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';

import '~/lib/api/error-messages.requests';
import { downloadFile } from '~/features/documents/api/files';
import type { ReceivedFile } from '~/features/requests/api/requests';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { getExtension } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';

const ReceivedFileDialog = lazy(async () => ({
  default: (await import('./received-file-dialog')).ReceivedFileDialog,
}));

/** Types that the dialog shows. */
const SHOWN = /^(?:pdf|png|jpe?g|webp|gif|hei[cf]|txt|csv|xlsx|docx|xml)$/;

/**
 * `state` says what became of the file; `action` is a button beside the download. The name opens the file, unless the
 * page already shows it (`isShown`).
 */
export function ReceivedFileItem({
  file,
  state,
  action,
  isShown = false,
}: {
  file: ReceivedFile;
  isShown?: boolean;
  state?: ReactNode;
  action?: ReactNode;
}) {
  const path = file.file_url;
  const [isOpen, setIsOpen] = useState(false);
  const fetching = useApiMutation({
    mutationFn: (object: string) => downloadFile({ path: object, name: file.name, bucket: 'received-files' }),
    errorToast: { title: 'Erro ao baixar arquivo' },
  });
  return (
    <li className="border-border flex min-h-13 items-center gap-3 rounded border py-1 pr-1 pl-3">
      <FileIcon type={getExtension(file.name)} size={20} className="shrink-0" />
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
        {path !== null && !isShown && SHOWN.test(getExtension(file.name)) ? (
          <button
            type="button"
            onClick={() => setIsOpen(true)}
            className="text-primary relative min-w-0 text-left wrap-anywhere after:absolute after:inset-x-0 after:-inset-y-2.5 hover:underline"
          >
            <span className="sr-only">Ver </span>
            {file.name}
          </button>
        ) : (
          <span className="min-w-0 wrap-anywhere">{file.name}</span>
        )}
        <span className="text-muted-foreground text-sm whitespace-nowrap tabular-nums">
          {formatSize(file.size)}
        </span>
        {state}
      </span>
      {path !== null && (
        <IconButton
          label={`Baixar ${file.name}`}
          icon={<Download size={18} aria-hidden />}
          disabled={fetching.isPending}
          onClick={() => fetching.mutate(path)}
        />
      )}
      {action}
      {isOpen && path !== null && (
        <Suspense>
          <ReceivedFileDialog
            name={file.name}
            path={path}
            isFetching={fetching.isPending}
            onDownload={() => fetching.mutate(path)}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </li>
  );
}
