// Page that uploads many documents of one client.
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { DateField } from '~/components/more-form-fields';
import { PageHeader } from '~/components/page-header';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { type Client, searchClientsQuery } from '~/features/clients/api/clients';
import { ClientField } from '~/features/clients/components/client-field';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { FolderField } from '~/features/folders/components/folder-field';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig } from '~/lib/api/server-config';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Dropzone } from '~/ui/dropzone';
import { Field } from '~/ui/field';
import { DropHint } from '~/ui/file-input';

import { NotificationPreview } from '../notification-preview';
import { BulkUploadRow } from './bulk-upload-row';
import { bulkUploadSchema } from './bulk-upload-schema';
import { type BulkUploadItem, isPending, useBulkUpload } from './use-bulk-upload';

const FAILED = 'Erro ao enviar documento';

export function loader() {
  void queryClient.prefetchQuery(searchClientsQuery(''));
  void queryClient.prefetchQuery(allFoldersQuery());
  return null;
}

export { BulkUploadPage as Component };

function BulkUploadPage() {
  const limit = serverConfig().max_upload_bytes;
  const [client, setClient] = useState<Client | null>(null);
  const bulk = useBulkUpload(limit);
  const { items: lines, running } = bulk;
  const toSend = lines.filter(isPending).length;
  const unsent = lines.filter(({ state: { step } }) => step !== 'sent').length;

  const form = useZodForm(
    bulkUploadSchema,
    { clientId: '', folderId: '', expiresAt: '', files: toSend },
    { invalidToast: REQUIRED_FIELDS_TOAST },
  );
  const folderId = form.watch('folderId');

  const send = form.handleSubmit((values) => {
    if (client) {
      bulk.send({
        client,
        folderId: values.folderId,
        expiresAt: values.expiresAt === '' ? null : values.expiresAt,
      });
    }
  });

  return (
    <>
      <PageHeader
        title="Enviar Vários Documentos"
        back={{ to: paths.adminDocuments(), label: 'Documentos' }}
      />
      <Card className="max-w-4xl">
        <div className="flex flex-col gap-5 p-5 sm:p-6">
          <div className="grid items-start gap-5 sm:grid-cols-3">
            <ClientField form={form} name="clientId" disabled={running} onChange={setClient} />
            <FolderField form={form} name="folderId" disabled={running} />
            <DateField {...form.bind('expiresAt')} label="Data de Vencimento (Opcional)" disabled={running} />
          </div>
          <NotificationPreview
            name={client?.fullName ?? client?.email ?? ''}
            document={{ client_id: client?.id ?? '', folder_id_supabase: folderId }}
          />
          <Field label="Arquivos *" required error={form.errorOf('files')}>
            {(control) => (
              <Dropzone
                {...control}
                multiple
                disabled={running}
                onFiles={(files) => {
                  bulk.add(files);
                  form.clearErrors('files');
                }}
                onRefuse={(reason) => toast({ title: FAILED, description: reason, variant: 'error' })}
              >
                <DropHint
                  what="Selecione os arquivos"
                  hint={`PNG, JPG, PDF, DOCX, etc. até ${formatSizeLimit(limit)} cada`}
                />
              </Dropzone>
            )}
          </Field>
          {lines.length > 0 && (
            <ul aria-label="Arquivos" className="border-border divide-border divide-y rounded border">
              {lines.map((line) => (
                <BulkUploadRow
                  key={line.id}
                  item={line}
                  disabled={running}
                  onRename={(name) => bulk.rename(line.id, name)}
                  onConfirmClient={(owner) => bulk.confirmClient(line.id, owner)}
                  onRemove={() => bulk.remove(line.id)}
                />
              ))}
            </ul>
          )}
        </div>
        <div className="border-border flex flex-col-reverse gap-3 border-t px-5 py-4 sm:flex-row sm:items-center sm:px-6">
          <p role="status" className="text-muted-foreground text-body mr-auto tabular-nums">
            {lines.length > 0 && summary(lines)}
          </p>
          {running ? (
            <Button variant="secondary" onClick={bulk.stop}>
              Cancelar envio
            </Button>
          ) : (
            <ButtonLink to={paths.adminDocuments()} variant="secondary">
              {lines.length > 0 && unsent === 0 ? 'Ver documentos' : 'Cancelar'}
            </ButtonLink>
          )}
          <Button pending={running} onClick={() => void send()}>
            {toSend === 0 ? 'Enviar documentos' : `Enviar ${pluralize(toSend, 'documento', 'documentos')}`}
          </Button>
        </div>
        <UnsavedChangesGuard
          enabled={unsent > 0}
          description={`${pluralize(unsent, 'arquivo ainda não foi enviado', 'arquivos ainda não foram enviados')}.`}
        />
      </Card>
    </>
  );
}

/** Summary of the upload states: `3 de 5 enviados, 1 à espera de resposta, 1 com erro`. */
function summary(lines: readonly BulkUploadItem[]): string {
  const count = (step: BulkUploadItem['state']['step']) =>
    lines.filter(({ state }) => state.step === step).length;
  const failed =
    count('failed') + lines.filter(({ validationError }) => validationError !== undefined).length;
  return [
    `${count('sent')} de ${pluralize(lines.length, 'enviado', 'enviados')}`,
    ...(count('needs-confirmation') > 0 ? [`${count('needs-confirmation')} à espera de resposta`] : []),
    ...(failed > 0 ? [`${failed} com erro`] : []),
  ].join(', ');
}
