// Page that uploads many documents of one client.
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { type Client, searchClientsQuery } from '~/features/clients/api/clients';
import { ClientCombobox } from '~/features/clients/components/client-combobox';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { FolderCombobox } from '~/features/folders/components/folder-combobox';
import { queryClient } from '~/lib/api/query-client';
import { serverConfig } from '~/lib/api/server-config';
import { parseDay } from '~/lib/dates';
import { formatSizeLimit } from '~/lib/files/validate-file';
import { pluralize } from '~/lib/format';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Dropzone } from '~/ui/dropzone';
import { Field } from '~/ui/field';
import { DropHint } from '~/ui/file-input';
import { Input } from '~/ui/input';

import { NotificationPreview } from '../notification-preview';
import { BulkUploadRow } from './bulk-upload-row';
import { type BulkUploadItem, isPending, useBulkUpload } from './use-bulk-upload';

const FAILED = 'Erro ao enviar documento';
const blank = { client: '', folder: '', expiry: '', files: '' };

export function loader() {
  void queryClient.prefetchQuery(searchClientsQuery(''));
  void queryClient.prefetchQuery(allFoldersQuery());
  return null;
}

export { BulkUploadPage as Component };

function BulkUploadPage() {
  const limit = serverConfig().max_upload_bytes;
  const [client, setClient] = useState<Client | null>(null);
  const [folderId, setFolderId] = useState('');
  const [expiresAt, setExpiresAt] = useState('');
  const [errors, setErrors] = useState(blank);
  const bulk = useBulkUpload(limit);
  const { items: lines, running } = bulk;
  const toSend = lines.filter(isPending).length;
  const unsent = lines.filter(({ state: { step } }) => step !== 'sent').length;

  const send = () => {
    const wrong = {
      client: client ? '' : 'Cliente é obrigatório.',
      folder: folderId === '' ? 'Pasta é obrigatória.' : '',
      expiry: expiresAt === '' || parseDay(expiresAt) ? '' : 'Data inválida',
      files: toSend === 0 ? 'Arquivo é obrigatório.' : '',
    };
    setErrors(wrong);
    if (client && Object.values(wrong).every((error) => error === '')) {
      return bulk.send({ client, folderId, expiresAt: expiresAt === '' ? null : expiresAt });
    }
    return toast({
      title: 'Erro de Validação',
      description: 'Por favor, preencha todos os campos obrigatórios.',
      variant: 'error',
    });
  };

  return (
    <>
      <PageHeader
        title="Enviar Vários Documentos"
        back={{ to: paths.adminDocuments(), label: 'Documentos' }}
      />
      <Card className="max-w-4xl">
        <div className="flex flex-col gap-5 p-5 sm:p-6">
          <div className="grid items-start gap-5 sm:grid-cols-3">
            <Field label="Cliente *" required error={errors.client}>
              {(control) => (
                <ClientCombobox
                  {...control}
                  disabled={running}
                  onChange={(chosen) => {
                    setClient(chosen);
                    setErrors({ ...errors, client: '' });
                  }}
                />
              )}
            </Field>
            <Field label="Pasta *" required error={errors.folder}>
              {(control) => (
                <FolderCombobox
                  {...control}
                  value={folderId}
                  disabled={running}
                  onChange={(chosen) => {
                    setFolderId(chosen);
                    setErrors({ ...errors, folder: '' });
                  }}
                />
              )}
            </Field>
            <Field label="Data de Vencimento (Opcional)" error={errors.expiry}>
              {(control) => (
                <Input
                  {...control}
                  type="date"
                  min="1900-01-01"
                  max="9999-12-31"
                  value={expiresAt}
                  disabled={running}
                  onChange={({ target }) => {
                    setExpiresAt(target.value);
                    setErrors({ ...errors, expiry: '' });
                  }}
                />
              )}
            </Field>
          </div>
          <NotificationPreview
            name={client?.fullName ?? client?.email ?? ''}
            document={{ client_id: client?.id ?? '', folder_id_supabase: folderId }}
          />
          <Field label="Arquivos *" required error={errors.files}>
            {(control) => (
              <Dropzone
                {...control}
                multiple
                disabled={running}
                onFiles={(files) => {
                  bulk.add(files);
                  setErrors({ ...errors, files: '' });
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
          <Button pending={running} onClick={send}>
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
