import { useState } from 'react';

import type { Client } from '~/features/clients/api/clients';
import { type AdminDocument, replaceFile } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { useAction } from '~/hooks/use-api-mutation';
import { useAsking } from '~/hooks/use-dialog-state';
import { useSending } from '~/hooks/use-upload-progress';
import { config } from '~/lib/api/server-config';
import { faultOf, limitLabel } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileDrop } from '~/ui/file-input';
import { ProgressBar } from '~/ui/progress-bar';

import { otherClientsIn } from './detect-wrong-client';
import { WrongClientDialog } from './wrong-client-dialog';

const FAILED = 'Erro ao substituir o arquivo';

type ReplaceFileProps = {
  document: AdminDocument;
  client: Client;
  /** Chosen, and not sent yet. The page keeps it, since the page asks before it is left with one. */
  file: File | null;
  onFile: (file: File | null) => void;
};

/** Gives a document another file; who opened the old one stays on record. */
export function ReplaceFile({ document, client, file, onFile: setFile }: ReplaceFileProps) {
  const limit = config().max_upload_bytes;
  const [fault, setFault] = useState<string>();
  const sending = useSending();
  const guard = useAsking<{ file: File; others: Client[] }>();

  const save = useAction({
    run: (chosen: File) =>
      replaceFile({
        document: { id: document.id, clientId: client.id, folderId: document.folder_id_supabase },
        file: chosen,
        ...sending.begin(),
      }),
    refreshes: [documentKeys.all],
    success: (sent) =>
      sent
        ? { title: 'Arquivo substituído com sucesso!' }
        : { title: 'Envio cancelado', description: 'O arquivo continua o mesmo.' },
    failure: { title: FAILED },
    onSuccess: (sent) => {
      sending.end();
      if (sent) setFile(null);
    },
    onFailure: sending.end,
  });
  const check = useAction({
    run: (chosen: File) => otherClientsIn(chosen, client.id),
    failure: { title: FAILED },
    next: (others, chosen) => (others.length === 0 ? save.run(chosen) : guard.ask({ file: chosen, others })),
  });
  const pending = check.pending || save.pending;
  const refuse = (reason: string) => {
    setFile(null);
    setFault(reason);
    toast({ title: FAILED, description: reason, tone: 'destructive' });
  };
  const choose = (chosen: File) => {
    const wrong = faultOf(chosen, limit);
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
          hint="O arquivo atual é apagado; o registro de aberturas continua."
        >
          {(control) => (
            <FileDrop
              {...control}
              file={file}
              hint={`Até ${limitLabel(limit)}`}
              disabled={pending}
              onChoose={choose}
              onRefuse={refuse}
              onRemove={() => setFile(null)}
            />
          )}
        </Field>
        {sending.share !== null && (
          <ProgressBar
            label={sending.share < 1 ? 'Enviando o arquivo' : 'Salvando o documento'}
            share={sending.share}
          />
        )}
        {file && (
          <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
            {save.pending && (
              <Button variant="secondary" disabled={sending.share === 1} onClick={sending.cancel}>
                Cancelar envio
              </Button>
            )}
            <Button pending={pending} onClick={() => check.run(file)}>
              Substituir
            </Button>
          </div>
        )}
      </div>
      <WrongClientDialog
        open={guard.open}
        others={guard.subject?.others ?? []}
        client={client.fullName ?? client.email}
        onCancel={guard.close}
        onConfirm={() => {
          guard.close();
          if (guard.subject) save.run(guard.subject.file);
        }}
      />
    </Panel>
  );
}
