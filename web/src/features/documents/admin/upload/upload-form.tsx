// Form that uploads a document.
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { FormActions } from '~/components/form-actions';
import { TextField } from '~/components/form-fields';
import { DateField } from '~/components/more-form-fields';
import { SAVED, UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import type { Client } from '~/features/clients/api/clients';
import { ClientField } from '~/features/clients/components/client-field';
import { documentKeys } from '~/features/documents/api/documents';
import { type NewDocument, uploadDocument } from '~/features/documents/api/upload-document';
import { folderKeys } from '~/features/folders/api';
import { FolderField } from '~/features/folders/components/folder-field';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUploadProgress } from '~/hooks/use-upload-progress';
import { REQUIRED_FIELDS_TOAST, useZodForm } from '~/hooks/use-zod-form';
import { serverConfig } from '~/lib/api/server-config';
import { today } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { defaultDocumentName } from '~/lib/files/storage-path';
import { validateFile, formatSizeLimit } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileInput } from '~/ui/file-input';
import { ProgressBar } from '~/ui/progress-bar';

import { ApprovalField, parseApprovalRequest } from '../approval-field';
import { parseFolderKind, NotificationKindField } from '../notification-kind-field';
import { NotificationPreview } from '../notification-preview';
import { PaymentFields } from '../payment-fields';
import { PAYMENT_FIELDS, toPaymentColumns } from '../payment-schema';
import { identifyFile } from '../recognition/identify-file';
import { findDoubts, type ForeignTaxId } from '../recognition/recognize';
import { WrongClientDialog } from '../recognition/wrong-client-dialog';
import { uploadSchema, blankUpload, isDayOrBlank } from './upload-schema';

export const FAILED = 'Erro ao enviar documento';

export function UploadForm({ client: given }: { client: Client | null }) {
  const navigate = useNavigate();
  const limit = serverConfig().max_upload_bytes;
  const [client, setClient] = useState(given);
  const [isPaymentOpen, setIsPaymentOpen] = useState(false);
  const form = useZodForm(
    uploadSchema,
    { ...blankUpload, clientId: given?.id ?? '' },
    { invalidToast: REQUIRED_FIELDS_TOAST },
  );
  // The first invalid field in the order of registration receives the focus. These register themselves after the others.
  for (const name of ['clientId', 'folderId', 'file'] as const) form.register(name);
  const sending = useUploadProgress();
  const guard = useDialogState<{ document: NewDocument; foreign: readonly ForeignTaxId[] }>();
  const { errors, isDirty, dirtyFields } = form.formState;
  const [folder, documentType, expiresAt, kind] = form.watch([
    'folderId',
    'documentType',
    'expiresAt',
    'kind',
  ]);
  const settledType = useDebouncedValue(documentType);
  const ownKind = parseFolderKind(kind);

  const save = useApiMutation({
    mutationFn: (document: NewDocument) => uploadDocument({ document, ...sending.start() }),
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: (sent) =>
      sent
        ? { title: 'Documento enviado com sucesso!' }
        : { title: 'Envio cancelado', description: 'Nada foi salvo.' },
    errorToast: { title: FAILED },
    onSettled: sending.finish,
    onSuccessIfMounted: (sent) => {
      if (sent) void navigate(paths.adminDocuments(), { state: SAVED });
    },
  });
  const check = useApiMutation({
    mutationFn: async ({ document, owner }: { document: NewDocument; owner: Client }) =>
      findDoubts(await identifyFile(document.file), owner),
    errorToast: { title: FAILED },
    onSuccessIfMounted: (foreign, { document }) =>
      foreign.length === 0 ? save.mutate(document) : guard.show({ document, foreign }),
  });
  const pending = check.isPending || save.isPending;

  const choose = (file: File) => {
    const fault = validateFile(file, limit);
    if (fault) return refuse(fault);
    form.setValue('file', file, { shouldDirty: true });
    form.clearErrors('file');
    // A name typed by the user is kept.
    if (!dirtyFields.documentName) {
      form.setValue('documentName', defaultDocumentName(file.name));
      form.clearErrors('documentName');
    }
    if (!dirtyFields.documentType) form.setValue('documentType', getExtension(file.name));
  };
  const refuse = (reason: string) => {
    form.setValue('file', null);
    form.setError('file', { message: reason });
    toast({ title: FAILED, description: reason, variant: 'error' });
  };

  const send = form.handleSubmit(
    ({ file, expiresAt: expiry, kind: own, approvalRequest, ...values }) =>
      file &&
      client &&
      check.mutate({
        document: {
          ...values,
          file,
          expiresAt: expiry === '' ? null : expiry,
          kind: parseFolderKind(own),
          approvalRequest: parseApprovalRequest(approvalRequest),
          payment: toPaymentColumns(values),
        },
        owner: client,
      }),
  );

  return (
    <>
      <Card className="max-w-3xl">
        <form noValidate onSubmit={send}>
          <fieldset disabled={pending} className="flex min-w-0 flex-col gap-5 p-5 sm:p-6">
            <div className="grid items-start gap-5 sm:grid-cols-[3fr_2fr]">
              <ClientField
                form={form}
                name="clientId"
                initial={given}
                disabled={pending}
                onChange={setClient}
              />
              <FolderField form={form} name="folderId" disabled={pending} />
            </div>
            <Field label="Arquivo *" required error={errors.file?.message}>
              {(control) => (
                <Controller
                  control={form.control}
                  name="file"
                  render={({ field: { ref, value, onChange } }) => (
                    <FileInput
                      {...control}
                      ref={ref}
                      file={value}
                      hint={`PNG, JPG, PDF, DOCX, etc. até ${formatSizeLimit(limit)}`}
                      disabled={pending}
                      onChoose={choose}
                      onRefuse={refuse}
                      onRemove={() => onChange(null)}
                    />
                  )}
                />
              )}
            </Field>
            <TextField
              {...form.bind('documentName')}
              label="Nome do Documento *"
              required
              autoComplete="off"
              maxLength={255}
            />
            <div className="grid items-start gap-5 sm:grid-cols-2">
              <TextField
                {...form.bind('documentType')}
                label="Tipo do Documento"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={255}
              />
              <DateField
                {...form.bind('expiresAt')}
                label="Data de Vencimento (Opcional)"
                {...(expiresAt !== '' &&
                  expiresAt < today() && { hint: 'Esta data já passou: o documento chega vencido.' })}
              />
            </div>
            <div className="grid items-center gap-x-5 gap-y-2 sm:grid-cols-2">
              <NotificationKindField folderId={folder} {...form.registerField('kind')} />
              <NotificationPreview
                name={client?.fullName ?? client?.email ?? ''}
                document={{
                  client_id: client?.id ?? '',
                  folder_id_supabase: folder,
                  type: settledType,
                  ...(ownKind !== null && { kind: ownKind }),
                  ...(isDayOrBlank(expiresAt) && expiresAt !== '' && { expires_at: expiresAt }),
                }}
              />
            </div>
            <ApprovalField {...form.bind('approvalRequest')} />
            <details
              className="group border-border rounded border"
              open={isPaymentOpen || PAYMENT_FIELDS.some((field) => errors[field])}
              onToggle={(event) => setIsPaymentOpen(event.currentTarget.open)}
            >
              <summary className="flex min-h-11 cursor-pointer list-none items-center gap-3 px-4 font-medium [&::-webkit-details-marker]:hidden">
                Guia ou boleto a pagar (opcional)
                <ChevronDown
                  size={20}
                  aria-hidden
                  className="ml-auto transition-transform group-open:rotate-180"
                />
              </summary>
              <div className="flex flex-col gap-5 p-4 pt-2">
                <PaymentFields form={form} />
              </div>
            </details>
          </fieldset>
          <FormActions
            cancelTo={paths.adminDocuments()}
            {...(save.isPending && {
              cancel: (
                <Button variant="secondary" disabled={sending.progress === 1} onClick={sending.cancel}>
                  Cancelar envio
                </Button>
              ),
            })}
            submit="Salvar Documento"
            pending={pending}
          >
            {sending.progress !== null && (
              <ProgressBar
                label={sending.progress < 1 ? 'Enviando o arquivo' : 'Salvando o documento'}
                value={sending.progress}
                className="mb-4"
              />
            )}
          </FormActions>
        </form>
        <UnsavedChangesGuard enabled={isDirty} description="O documento ainda não foi enviado." />
      </Card>
      <WrongClientDialog
        open={guard.open}
        foreign={guard.item?.foreign ?? []}
        client={client?.fullName ?? client?.email ?? ''}
        onCancel={guard.close}
        onConfirm={() => {
          guard.close();
          if (guard.item) save.mutate(guard.item.document);
        }}
      />
    </>
  );
}
