// Confirmation of the files that name no one, before a bulk upload.
import type { Client } from '~/features/clients/api/clients';
import { formatSize, pluralize } from '~/lib/format';
import { ConfirmDialog } from '~/ui/confirm-dialog';

import { type BulkUploadItem, clientName, shownFileName } from './bulk-upload-item';
import { RecipientLines } from './recipient-lines';

type UnrecognizedFilesDialogProps = {
  open: boolean;
  files: readonly BulkUploadItem[];
  client: Client | null;
  finalFocus: () => HTMLElement | true;
  onCancel: () => void;
  onConfirm: () => void;
} & Pick<Parameters<typeof RecipientLines>[0], 'recipients' | 'document'>;

export function UnrecognizedFilesDialog({
  open,
  files,
  client,
  recipients,
  document,
  finalFocus,
  onCancel,
  onConfirm,
}: UnrecognizedFilesDialogProps) {
  const name = client ? clientName(client) : '';
  const unread = files.filter(isUnread).length;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(wanted) => !wanted && onCancel()}
      title={`${pluralize(files.length, 'arquivo', 'arquivos')} sem identificação`}
      description={
        <p>
          {files.length === 1 ? 'É de ' : 'São todos de '}
          <strong className="text-foreground font-medium wrap-anywhere">{name}</strong>? Não há CPF nem CNPJ{' '}
          {files.length === 1 ? 'no nome do arquivo' : 'nos nomes dos arquivos'}
          {unread < files.length && ', nem nos textos que puderam ser lidos'}.
        </p>
      }
      cancel="Voltar e conferir"
      confirm="Confirmar e enviar"
      finalFocus={finalFocus}
      onConfirm={onConfirm}
    >
      <div className="mt-3 flex flex-col gap-3">
        <div
          role="region"
          aria-label="Arquivos a confirmar"
          tabIndex={0}
          className="border-border max-h-[32dvh] shrink-0 overflow-y-auto rounded border"
        >
          <ul className="divide-border divide-y">
            {files.map((item) => (
              <li key={item.id} className="flex items-baseline justify-between gap-3 px-3 py-2 text-sm">
                <span className="text-foreground min-w-0 wrap-anywhere">
                  {shownFileName(item)}
                  {isUnread(item) && <span className="text-muted-foreground"> · conteúdo não lido</span>}
                </span>
                <span className="shrink-0 tabular-nums">{formatSize(item.file.size)}</span>
              </li>
            ))}
          </ul>
        </div>
        <RecipientLines recipients={recipients} document={document} />
      </div>
    </ConfirmDialog>
  );
}

/** Whether only the name of the file was searched. */
function isUnread({ identity }: BulkUploadItem): boolean {
  return typeof identity === 'string' || !identity.readable;
}
