// An item that the office asks for, with the files that answer it.
import { CircleSlash, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { UploadingItems } from '~/components/uploading-items';
import {
  answerItem,
  deleteReceivedFile,
  type ReceivedFile,
  type RequestItem,
  requestKeys,
} from '~/features/requests/api/requests';
import { sendFile } from '~/features/requests/api/send-file';
import { DueLabel } from '~/features/requests/components/due-label';
import { ReceivedFileItem } from '~/features/requests/components/received-file-item';
import { StatusBadge } from '~/features/requests/components/status-badge';
import { clientStatusLabels, formatMonth } from '~/features/requests/request-labels';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useIsConnected } from '~/hooks/use-is-connected';
import { useUploads } from '~/hooks/use-uploads';
import { refetchChanged } from '~/lib/api/query-client';
import { pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { Alert } from '~/ui/alert';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { IconButton } from '~/ui/icon-button';

import { FilePicker } from './file-picker';

// Loaded on demand, because most files stay and few items are refused.
const ConfirmDialog = lazy(async () => ({ default: (await import('~/ui/confirm-dialog')).ConfirmDialog }));

export function RequestItemCard({ item }: { item: RequestItem }) {
  const uploads = useUploads(
    (file, options) => sendFile({ itemId: item.id, note: null, file }, options),
    'enviado',
  );
  const answering = useApiMutation({
    mutationFn: answerItem,
    invalidates: [requestKeys.all],
    errorToast: { title: 'Erro ao responder' },
  });
  // The question before the answer to a refused item, because the server drops the reason. It stays mounted after its
  // first opening, for its exit animation.
  const [question, setQuestion] = useState<{ reason: string; open: boolean }>();
  const isConnected = useIsConnected();
  const isWaiting = item.status === 'open' || item.status === 'refused';

  const send = async (files: readonly File[]) => {
    const results = await uploads.start(files);
    // The toast of a failure must stay. The list shows what was sent.
    if (results.every(Boolean))
      toast({ title: pluralize(files.length, 'arquivo enviado', 'arquivos enviados') });
    await refetchChanged(requestKeys.all);
  };

  return (
    <Card className="flex flex-col gap-4 p-5">
      <div className="flex flex-col gap-1">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
          <h2 className="min-w-0 text-lg wrap-anywhere">{item.name}</h2>
          <StatusBadge status={clientStatusLabels[item.status]} />
        </div>
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-muted-foreground text-sm">Referente a {formatMonth(item.month)}</span>
          {isWaiting && item.due_on !== null && <DueLabel day={item.due_on} />}
        </p>
        {item.hint !== null && <p className="mt-1 max-w-prose wrap-anywhere">{item.hint}</p>}
      </div>
      {item.refusal_reason !== null && (
        <Alert variant="danger">
          O escritório recusou o que foi enviado:{' '}
          <strong className="wrap-anywhere whitespace-pre-line">{item.refusal_reason}</strong>
        </Alert>
      )}
      {(item.received_files.length > 0 || uploads.sending.length > 0) && (
        <ul aria-label={`Arquivos de ${item.name}`} className="flex flex-col gap-2">
          {item.received_files.map((file) => (
            <ReceivedFileItem
              key={file.id}
              file={file}
              state={fileState(file)}
              action={file.filed_at === null && <DeleteFileButton file={file} />}
            />
          ))}
          <UploadingItems sending={uploads.sending} onCancel={uploads.cancel} />
        </ul>
      )}
      {item.status === 'nothing' ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted-foreground">Você respondeu que não há nada a enviar.</p>
          <Button
            variant="quiet"
            icon={<Undo2 size={18} aria-hidden />}
            pending={answering.isPending}
            onClick={() => answering.mutate({ id: item.id, status: 'open' })}
          >
            Desfazer
          </Button>
        </div>
      ) : (
        <>
          <FilePicker
            label={`Enviar arquivos para ${item.name}`}
            disabled={!isConnected}
            onFiles={(files) => void send(files)}
          />
          {!isConnected && (
            <p className="text-caption text-muted-foreground text-center">Precisa de conexão</p>
          )}
        </>
      )}
      {isWaiting && (
        <Button
          variant="quiet"
          icon={<CircleSlash size={18} aria-hidden />}
          aria-label={`Nada a enviar: ${item.name}`}
          pending={answering.isPending}
          onClick={() => {
            if (item.refusal_reason === null) answering.mutate({ id: item.id, status: 'nothing' });
            else setQuestion({ reason: item.refusal_reason, open: true });
          }}
          className="self-start max-sm:w-full"
        >
          Nada a enviar
        </Button>
      )}
      {question && (
        <Suspense>
          <ConfirmDialog
            open={question.open}
            onOpenChange={(open) => setQuestion({ ...question, open })}
            title="Responder sem enviar de novo?"
            description={`O escritório recusou o que foi enviado: “${question.reason}”. Com esta resposta, o motivo deixa de aparecer, mesmo se você a desfizer depois.`}
            confirm="Não há o que enviar"
            onConfirm={() => {
              setQuestion({ ...question, open: false });
              answering.mutate({ id: item.id, status: 'nothing' });
            }}
          />
        </Suspense>
      )}
    </Card>
  );
}

function fileState({ refused_at, filed_at }: ReceivedFile) {
  if (filed_at !== null) return <Badge tone="success">Aceito</Badge>;
  return refused_at !== null && <Badge tone="danger">Recusado</Badge>;
}

/** Button that deletes a sent file after a confirmation. */
export function DeleteFileButton({ file: { id, name } }: { file: ReceivedFile }) {
  // The dialog stays mounted after its first opening, for its exit animation.
  const [dialog, setDialog] = useState({ asked: false, open: false });
  const removal = useApiMutation({
    mutationFn: deleteReceivedFile,
    invalidates: [requestKeys.all],
    successToast: { title: 'Arquivo removido' },
    errorToast: { title: 'Erro ao remover arquivo' },
    onSuccessIfMounted: () => setDialog({ asked: true, open: false }),
  });
  return (
    <>
      <IconButton
        label={`Remover ${name}`}
        icon={<Trash2 size={18} aria-hidden />}
        disabled={removal.isPending}
        onClick={() => setDialog({ asked: true, open: true })}
      />
      {dialog.asked && (
        <Suspense>
          <ConfirmDialog
            open={dialog.open}
            onOpenChange={(open) => setDialog({ asked: true, open })}
            title="Remover o arquivo?"
            description={`O escritório deixa de receber “${name}”.`}
            confirm="Remover"
            danger
            pending={removal.isPending}
            onConfirm={() => removal.mutate(id)}
          />
        </Suspense>
      )}
    </>
  );
}
