// Row of the bulk upload: document name and upload state of one file.
import { CircleAlert, CircleCheck, X } from 'lucide-react';

import type { Client } from '~/features/clients/api/clients';
import { getExtension } from '~/lib/files/file-name';
import { formatSize } from '~/lib/format';
import { FileIcon } from '~/ui/file-icon';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';
import { ProgressBar } from '~/ui/progress-bar';

import { type BulkUploadItem, clientName, findDestination, shownFileName } from './bulk-upload-item';
import { ClientDecision } from './client-decision';

type BulkUploadRowProps = {
  item: BulkUploadItem;
  /** The chosen client. */
  client: Client | null;
  disabled: boolean;
  /** Whether the question about the client is overdue. */
  missing: boolean;
  onRename: (name: string) => void;
  onDecide: (decision: Client | 'left-out') => void;
  onRemove: () => void;
};

export function BulkUploadRow({
  item,
  client,
  disabled,
  missing,
  onRename,
  onDecide,
  onRemove,
}: BulkUploadRowProps) {
  const { file, name, state, validationError } = item;
  const fileName = shownFileName(item);
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <FileIcon
        type={getExtension(fileName)}
        size={28}
        className={state.step === 'sent' ? 'shrink-0' : 'mt-2 shrink-0'}
      />
      <div className="min-w-0 flex-1">
        {state.step === 'sent' ? (
          <p className="font-medium wrap-anywhere">{name}</p>
        ) : (
          <Input
            aria-label={`Nome do documento de ${fileName}`}
            value={name}
            onChange={({ target }) => onRename(target.value)}
            disabled={disabled || state.step === 'sending' || validationError !== undefined}
            maxLength={255}
          />
        )}
        <p className="text-muted-foreground mt-1 text-sm wrap-anywhere tabular-nums">
          {fileName} · {formatSize(file.size)}
          {describeIdentity(item, client)}
        </p>
        {validationError === undefined && client && state.step !== 'sent' && (
          <ClientDecision
            item={item}
            chosen={client}
            disabled={disabled}
            missing={missing}
            onDecide={onDecide}
          />
        )}
        <div role="status">{validationError === undefined && <UploadStatus item={item} />}</div>
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

/** Findings about the client in the file, unless a question states them. */
function describeIdentity(item: BulkUploadItem, client: Client | null): string {
  const { identity, validationError, state } = item;
  if (validationError !== undefined || state.step === 'sent') return '';
  if (identity === 'checking') return ' · conferindo de quem é…';
  const { kind } = findDestination({ ...item, decision: null }, client);
  if (identity === 'failed' || client === null) return '';
  if (kind === 'client') return ` · reconhecido como de ${clientName(client)}`;
  if (kind !== 'unconfirmed') return '';
  return identity.readable
    ? ' · sem CPF nem CNPJ no texto e no nome'
    : ' · o conteúdo não pode ser lido, e o nome não traz CPF nem CNPJ';
}

function UploadStatus({ item: { state, identity } }: { item: BulkUploadItem }) {
  switch (state.step) {
    case 'waiting':
      return identity === 'failed' && <UploadError reason="Não foi possível conferir de quem é." />;
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
          <CircleCheck size={18} aria-hidden className="shrink-0" />
          <span className="min-w-0 wrap-anywhere">Enviado para {clientName(state.client)}</span>
        </p>
      );
    case 'failed':
      return <UploadError reason={state.reason} />;
  }
}

function UploadError({ reason }: { reason: string }) {
  return (
    <p className="text-danger mt-1 flex items-center gap-1.5 text-sm">
      <CircleAlert size={18} aria-hidden className="shrink-0" /> {reason}
    </p>
  );
}
