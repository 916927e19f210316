// Row of the bulk upload: document name and upload state of one file.
import { CircleAlert, CircleCheck, X } from 'lucide-react';

import type { Client } from '~/features/clients/api/clients';
import { getExtension } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { Button } from '~/ui/button';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';
import { ProgressBar } from '~/ui/progress-bar';

import { describeMatch } from '../detect-wrong-client';
import type { BulkUploadItem } from './use-bulk-upload';

type BulkUploadRowProps = {
  item: BulkUploadItem;
  disabled: boolean;
  onRename: (name: string) => void;
  onConfirmClient: (client: Client | null) => void;
  onRemove: () => void;
};

export function BulkUploadRow({ item, disabled, onRename, onConfirmClient, onRemove }: BulkUploadRowProps) {
  const { file, name, state, client, validationError } = item;
  const fileName = file.name.normalize('NFC');
  const isFixed = state.step !== 'waiting' && state.step !== 'failed';
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <FileIcon type={getExtension(fileName)} size={28} className="mt-2 shrink-0" />
      <div className="min-w-0 flex-1">
        <Input
          aria-label={`Nome do documento de ${fileName}`}
          value={name}
          onChange={({ target }) => onRename(target.value)}
          disabled={disabled || isFixed || validationError !== undefined}
          maxLength={255}
        />
        <p className="text-muted-foreground mt-1 text-sm wrap-anywhere tabular-nums">
          {fileName} · {formatSize(file.size)}
          {client && ` · para ${client.fullName ?? client.email}`}
        </p>
        <div role="status">
          {validationError === undefined && <UploadStatus item={item} onConfirmClient={onConfirmClient} />}
        </div>
        {validationError !== undefined && <UploadError reason={validationError} />}
      </div>
      <IconButton
        label={`Remover ${fileName}`}
        icon={<X size={20} aria-hidden />}
        disabled={disabled}
        onClick={onRemove}
        className="-mr-2"
      />
    </li>
  );
}

function UploadStatus({
  item: { state },
  onConfirmClient,
}: Pick<BulkUploadRowProps, 'item' | 'onConfirmClient'>) {
  switch (state.step) {
    case 'waiting':
      return null;
    case 'checking':
      return <p className="text-muted-foreground mt-1 text-sm">Conferindo de quem é…</p>;
    case 'sending':
      return (
        <ProgressBar
          label={state.progress < 1 ? 'Enviando o arquivo' : 'Salvando o documento'}
          value={state.progress}
          className="mt-2"
        />
      );
    case 'sent':
      return (
        <p className="text-success mt-1 flex items-center gap-1.5 text-sm font-medium">
          <CircleCheck size={18} aria-hidden /> Enviado
        </p>
      );
    case 'failed':
      return <UploadError reason={state.reason} />;
    case 'needs-confirmation':
      return <ClientQuestion others={state.others} onConfirmClient={onConfirmClient} />;
  }
}

function UploadError({ reason }: { reason: string }) {
  return (
    <p className="text-danger mt-1 flex items-center gap-1.5 text-sm">
      <CircleAlert size={18} aria-hidden className="shrink-0" /> {reason}
    </p>
  );
}

function ClientQuestion({
  others,
  onConfirmClient,
}: {
  others: readonly Client[];
  onConfirmClient: (client: Client | null) => void;
}) {
  const [first] = others;
  return (
    <div className="bg-warning-subtle mt-2 rounded px-3 py-2 text-sm">
      <p>
        Documento de outro cliente? O texto traz{' '}
        <strong className="font-medium">{describeMatch(others)}</strong>.
      </p>
      <div className="mt-1 -ml-4 flex flex-wrap">
        {first && (
          <Button variant="quiet" onClick={() => onConfirmClient(first)}>
            Enviar para {first.fullName ?? first.email}
          </Button>
        )}
        <Button variant="quiet" onClick={() => onConfirmClient(null)}>
          Manter o cliente escolhido
        </Button>
      </div>
    </div>
  );
}
