// Card that replaces the file of a document.
import { useState } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { type AdminDocument, replaceFile } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUploadProgress } from '~/hooks/use-upload-progress';
import { serverConfig } from '~/lib/api/server-config';
import { validateFile, formatSizeLimit } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { FileInput } from '~/ui/file-input';
import { ProgressBar } from '~/ui/progress-bar';

import { identifyFile } from './recognition/identify-file';
import { findDoubts, type ForeignTaxId } from './recognition/recognize';
import { WrongClientDialog } from './recognition/wrong-client-dialog';

const FAILED = 'Erro ao substituir o arquivo';

type ReplaceFileCardProps = {
  document: AdminDocument;
  client: Client;
  /**
   * Selected file before the upload. The page holds it, because the page blocks navigation while a file is selected.
   */
  file: File | null;
  onFile: (file: File | null) => void;
};

/** Replaces the file. The read receipts of the old file stay. */
export function ReplaceFileCard({ document, client, file, onFile: setFile }: ReplaceFileCardProps) {
  const limit = serverConfig().max_upload_bytes;
  const [fault, setFault] = useState<string>();
  const hasPaymentData =
    document.amount_cents !== null || document.payment_line !== null || document.pix_code !== null;
  // The safe choice first: a client must not pay the slip of the earlier file.
  const [endsPaymentData, setEndsPaymentData] = useState(true);
  const sending = useUploadProgress();
  const guard = useDialogState<{ file: File; foreign: readonly ForeignTaxId[] }>();

  const save = useApiMutation({
    mutationFn: (chosen: File) =>
      replaceFile({
        document: { id: document.id, clientId: client.id, folderId: document.folder_id_supabase },
        file: chosen,
        endsPaymentData: hasPaymentData && endsPaymentData,
        ...sending.start(),
      }),
    invalidates: [documentKeys.all],
    successToast: (sent) =>
      sent
        ? { title: 'Arquivo substituído com sucesso!' }
        : { title: 'Envio cancelado', description: 'O arquivo continua o mesmo.' },
    errorToast: { title: FAILED },
    onSuccess: (sent) => {
      sending.finish();
      if (sent) setFile(null);
    },
    onError: sending.finish,
  });
  const check = useApiMutation({
    mutationFn: async (chosen: File) => findDoubts(await identifyFile(chosen), client),
    errorToast: { title: FAILED },
    onSuccessIfMounted: (foreign, chosen) =>
      foreign.length === 0 ? save.mutate(chosen) : guard.show({ file: chosen, foreign }),
  });
  const pending = check.isPending || save.isPending;
  const refuse = (reason: string) => {
    setFile(null);
    setFault(reason);
    toast({ title: FAILED, description: reason, variant: 'error' });
  };
  const choose = (chosen: File) => {
    const wrong = validateFile(chosen, limit);
    if (wrong) return refuse(wrong);
    setFault(undefined);
    setFile(chosen);
  };

  return (
    <Panel title="Substituir arquivo">
      <div className="flex flex-col gap-4 p-5">
        <Field
          label="Novo arquivo"
          error={fault}
          hint="O arquivo atual fica nas versões; o registro de aberturas continua."
        >
          {(control) => (
            <FileInput
              {...control}
              file={file}
              hint={`Até ${formatSizeLimit(limit)}`}
              disabled={pending}
              onChoose={choose}
              onRefuse={refuse}
              onRemove={() => setFile(null)}
            />
          )}
        </Field>
        {file && hasPaymentData && (
          <Checkbox
            label="Apagar o valor e os códigos de pagamento do arquivo atual"
            hint="Preencha depois os do novo arquivo, em Editar. Desmarque se o valor e os códigos são os mesmos."
            checked={endsPaymentData}
            disabled={pending}
            onChange={({ target }) => setEndsPaymentData(target.checked)}
          />
        )}
        {sending.progress !== null && (
          <ProgressBar
            label={sending.progress < 1 ? 'Enviando o arquivo' : 'Salvando o documento'}
            value={sending.progress}
          />
        )}
        {file && (
          <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
            {save.isPending && (
              <Button variant="secondary" disabled={sending.progress === 1} onClick={sending.cancel}>
                Cancelar envio
              </Button>
            )}
            <Button pending={pending} onClick={() => check.mutate(file)}>
              Substituir
            </Button>
          </div>
        )}
      </div>
      <WrongClientDialog
        open={guard.open}
        foreign={guard.item?.foreign ?? []}
        client={client.fullName ?? client.email}
        onCancel={guard.close}
        onConfirm={() => {
          guard.close();
          if (guard.item) save.mutate(guard.item.file);
        }}
      />
    </Panel>
  );
}
