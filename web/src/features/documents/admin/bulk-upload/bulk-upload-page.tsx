// Page that uploads many documents of one client.
import { useEffect, useRef, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { DateField } from '~/components/more-form-fields';
import { PageHeader } from '~/components/page-header';
import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import { type Client, searchClientsQuery } from '~/features/clients/api/clients';
import { ClientField } from '~/features/clients/components/client-field';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { FolderField } from '~/features/folders/components/folder-field';
import { useDialogState } from '~/hooks/use-dialog-state';
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

import { isDayOrBlank } from '../upload/upload-schema';
import { type BulkUploadItem, isPending, pendingOfKind } from './bulk-upload-item';
import { BulkUploadReport } from './bulk-upload-report';
import { BulkUploadRow } from './bulk-upload-row';
import { bulkUploadSchema } from './bulk-upload-schema';
import { countRecipients, RecipientPreview } from './recipient-preview';
import { UnrecognizedFilesDialog } from './unrecognized-files-dialog';
import { useBulkUpload } from './use-bulk-upload';

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
  const [checking, setChecking] = useState(false);
  /** Number of attempts to send before each question was answered. */
  const [overdue, setOverdue] = useState(0);
  const confirmation = useDialogState<readonly BulkUploadItem[]>();
  const list = useRef<HTMLUListElement>(null);
  const report = useRef<HTMLElement>(null);
  const bulk = useBulkUpload(limit);
  const { items: lines } = bulk;
  const busy = checking || bulk.running;
  const toSend = lines.filter(isPending).length;
  const unsent = lines.filter(
    ({ state, decision }) => state.step !== 'sent' && decision !== 'left-out',
  ).length;
  const begun = lines.some(({ state: { step } }) => step === 'sent' || step === 'failed');

  const form = useZodForm(
    bulkUploadSchema,
    { clientId: '', folderId: '', expiresAt: '', files: toSend },
    { invalidToast: REQUIRED_FIELDS_TOAST },
  );
  const [folderId, expiresAt] = form.watch(['folderId', 'expiresAt']);
  const preview = {
    folder_id_supabase: folderId,
    ...(isDayOrBlank(expiresAt) && expiresAt !== '' && { expires_at: expiresAt }),
  };

  const start = (target: Client) =>
    bulk.send({ client: target, folderId, expiresAt: expiresAt === '' ? null : expiresAt });

  // Each attempt leads to the first open question.
  useEffect(() => {
    if (overdue > 0) list.current?.querySelector<HTMLInputElement>('[data-undecided] input')?.focus();
  }, [overdue]);

  /** Sends the files, or asks the questions that are open. */
  const send = form.handleSubmit(async () => {
    if (!client) return;
    setChecking(pendingOfKind(lines, client, 'unknown').length > 0);
    const checked = await bulk.finishChecks();
    if (!checked) return;
    setChecking(false);
    if (pendingOfKind(checked, client, 'unknown').length > 0) {
      toast({
        title: FAILED,
        description: 'Não foi possível conferir de quem são os arquivos. Nada foi enviado.',
        variant: 'error',
      });
      return;
    }
    if (pendingOfKind(checked, client, 'undecided').length > 0) return setOverdue((attempts) => attempts + 1);
    const unconfirmed = pendingOfKind(checked, client, 'unconfirmed');
    if (unconfirmed.length > 0) confirmation.show(unconfirmed);
    else start(client);
  });

  const confirm = () => {
    confirmation.close();
    if (!client || !confirmation.item) return;
    bulk.decide(
      confirmation.item.map(({ id }) => id),
      client,
    );
    start(client);
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
            <ClientField
              form={form}
              name="clientId"
              disabled={busy}
              onChange={(chosen) => {
                setClient(chosen);
                setOverdue(0);
                bulk.resetDecisions();
              }}
            />
            <FolderField form={form} name="folderId" disabled={busy} />
            <DateField {...form.bind('expiresAt')} label="Data de Vencimento (Opcional)" disabled={busy} />
          </div>
          <Field label="Arquivos *" required error={form.errorOf('files')}>
            {(control) => (
              <Dropzone
                {...control}
                multiple
                disabled={busy}
                onFiles={(files) => {
                  bulk.add(files);
                  setOverdue(0);
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
            <ul
              ref={list}
              aria-label="Arquivos"
              className="border-border divide-border divide-y rounded border"
            >
              {lines.map((line) => (
                <BulkUploadRow
                  key={line.id}
                  item={line}
                  client={client}
                  disabled={busy}
                  missing={overdue > 0 && line.decision === null}
                  onRename={(name) => bulk.rename(line.id, name)}
                  onDecide={(decision) => bulk.decide([line.id], decision)}
                  onRemove={() => bulk.remove(line.id)}
                />
              ))}
            </ul>
          )}
          {!bulk.running && <RecipientPreview items={lines} chosen={client} document={preview} />}
          {begun && !bulk.running && <BulkUploadReport ref={report} items={lines} />}
        </div>
        <div className="border-border flex flex-col-reverse gap-3 border-t px-5 py-4 sm:flex-row sm:items-center sm:px-6">
          <p role="status" className="text-muted-foreground text-body mr-auto tabular-nums">
            {lines.length > 0 && summary(lines, client)}
          </p>
          {bulk.running ? (
            <Button variant="secondary" onClick={bulk.stop}>
              Cancelar envio
            </Button>
          ) : (
            <ButtonLink to={paths.adminDocuments()} variant="secondary">
              {lines.length > 0 && unsent === 0 ? 'Ver documentos' : 'Cancelar'}
            </ButtonLink>
          )}
          <Button pending={busy} onClick={() => void send()}>
            {toSend === 0 ? 'Enviar documentos' : `Enviar ${pluralize(toSend, 'documento', 'documentos')}`}
          </Button>
        </div>
        <UnsavedChangesGuard
          enabled={unsent > 0}
          description={`${pluralize(unsent, 'arquivo ainda não foi enviado', 'arquivos ainda não foram enviados')}.`}
        />
        <UnrecognizedFilesDialog
          open={confirmation.open}
          files={confirmation.item ?? []}
          client={client}
          recipients={countRecipients(lines, client)}
          document={preview}
          // A short upload ends before the dialog has disappeared.
          finalFocus={() => report.current ?? true}
          onCancel={confirmation.close}
          onConfirm={confirm}
        />
      </Card>
    </>
  );
}

/** Summary of the upload states: `3 de 6 enviados, 1 à espera de resposta, 1 deixado de fora, 1 com erro`. */
function summary(lines: readonly BulkUploadItem[], client: Client | null): string {
  const sent = lines.filter(({ state }) => state.step === 'sent').length;
  const undecided = pendingOfKind(lines, client, 'undecided').length;
  const leftOut = lines.filter(({ decision }) => decision === 'left-out').length;
  const failed = lines.filter(
    ({ state, validationError }) => state.step === 'failed' || validationError !== undefined,
  ).length;
  return [
    `${sent} de ${pluralize(lines.length, 'enviado', 'enviados')}`,
    ...(undecided > 0 ? [`${undecided} à espera de resposta`] : []),
    ...(leftOut > 0 ? [pluralize(leftOut, 'deixado de fora', 'deixados de fora')] : []),
    ...(failed > 0 ? [`${failed} com erro`] : []),
  ].join(', ');
}
