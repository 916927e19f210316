import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { useNavigate } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { SAVED, UnsavedChanges } from '~/components/unsaved-changes-guard';
import type { Client } from '~/features/clients/api/clients';
import { ClientPicker } from '~/features/clients/components/client-combobox';
import { documentKeys } from '~/features/documents/api/documents';
import { type NewDocument, sendDocument } from '~/features/documents/api/upload-document';
import { folderKeys } from '~/features/folders/api';
import { FolderPicker } from '~/features/folders/components/folder-combobox';
import { useAction } from '~/hooks/use-api-mutation';
import { useDebounced } from '~/hooks/use-debounced-value';
import { useAsking } from '~/hooks/use-dialog-state';
import { useSending } from '~/hooks/use-upload-progress';
import { useZodForm } from '~/hooks/use-zod-form';
import { config } from '~/lib/api/server-config';
import { today } from '~/lib/dates';
import { extensionOf } from '~/lib/files/file-name';
import { documentNameOf } from '~/lib/files/storage-path';
import { faultOf, limitLabel } from '~/lib/files/validate-file';
import { toast } from '~/lib/toast';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { Field } from '~/ui/field';
import { FileDrop } from '~/ui/file-input';
import { Input } from '~/ui/input';
import { ProgressBar } from '~/ui/progress-bar';

import { otherClientsIn } from '../detect-wrong-client';
import { kindIn, KindField } from '../notification-kind-field';
import { AudienceLine } from '../notification-preview';
import { WrongClientDialog } from '../wrong-client-dialog';
import { uploadSchema, blankUpload, isDayOrBlank } from './upload-schema';

export const FAILED = 'Erro ao enviar documento';

export function UploadForm({ client: given }: { client: Client | null }) {
  const navigate = useNavigate();
  const limit = config().max_upload_bytes;
  const [client, setClient] = useState(given);
  const form = useZodForm(uploadSchema, { ...blankUpload, clientId: given?.id ?? '' });
  const sending = useSending();
  const guard = useAsking<{ document: NewDocument; others: Client[] }>();
  const { errors, isDirty, dirtyFields } = form.formState;
  const [folder, documentType, expiresAt, kind] = form.watch([
    'folderId',
    'documentType',
    'expiresAt',
    'kind',
  ]);
  const settledType = useDebounced(documentType);
  const ownKind = kindIn(kind);

  const save = useAction({
    run: (document: NewDocument) => sendDocument({ document, ...sending.begin() }),
    refreshes: [documentKeys.all, folderKeys.all],
    success: (sent) =>
      sent
        ? { title: 'Documento enviado com sucesso!' }
        : { title: 'Envio cancelado', description: 'Nada foi salvo.' },
    failure: { title: FAILED },
    onSettled: sending.end,
    next: (sent) => {
      if (sent) void navigate(paths.adminDocuments(), { state: SAVED });
    },
  });
  const check = useAction({
    run: (document: NewDocument) => otherClientsIn(document.file, document.clientId),
    failure: { title: FAILED },
    next: (others, document) => (others.length === 0 ? save.run(document) : guard.ask({ document, others })),
  });
  const pending = check.pending || save.pending;

  const choose = (file: File) => {
    const fault = faultOf(file, limit);
    if (fault) return refuse(fault);
    form.setValue('file', file, { shouldDirty: true });
    form.clearErrors('file');
    // What somebody typed stays as they typed it.
    if (!dirtyFields.documentName) {
      form.setValue('documentName', documentNameOf(file.name));
      form.clearErrors('documentName');
    }
    if (!dirtyFields.documentType) form.setValue('documentType', extensionOf(file.name));
  };
  const refuse = (reason: string) => {
    form.setValue('file', null);
    form.setError('file', { message: reason });
    toast({ title: FAILED, description: reason, tone: 'destructive' });
  };

  const send = form.handleSubmit(
    ({ file, expiresAt: expiry, kind: own, ...values }) =>
      file && check.run({ ...values, file, expiresAt: expiry === '' ? null : expiry, kind: kindIn(own) }),
    () =>
      toast({
        title: 'Erro de Validação',
        description: 'Por favor, preencha todos os campos obrigatórios.',
        tone: 'destructive',
      }),
  );

  return (
    <>
      <Card className="max-w-3xl">
        <form noValidate onSubmit={send}>
          <fieldset disabled={pending} className="flex min-w-0 flex-col gap-5 p-5 sm:p-6">
            <div className="grid items-start gap-5 sm:grid-cols-[3fr_2fr]">
              <Field label="Cliente *" required error={errors.clientId?.message}>
                {(control) => (
                  <Controller
                    control={form.control}
                    name="clientId"
                    render={({ field: { ref, onBlur, onChange } }) => (
                      <ClientPicker
                        {...control}
                        ref={ref}
                        onBlur={onBlur}
                        disabled={pending}
                        initial={given}
                        onChange={(chosen) => {
                          setClient(chosen);
                          onChange(chosen?.id ?? '');
                          form.clearErrors('clientId');
                        }}
                      />
                    )}
                  />
                )}
              </Field>
              <Field label="Pasta *" required error={errors.folderId?.message}>
                {(control) => (
                  <Controller
                    control={form.control}
                    name="folderId"
                    render={({ field: { ref, value, onBlur, onChange } }) => (
                      <FolderPicker
                        {...control}
                        ref={ref}
                        value={value}
                        onBlur={onBlur}
                        disabled={pending}
                        onChange={(folderId) => {
                          onChange(folderId);
                          form.clearErrors('folderId');
                        }}
                      />
                    )}
                  />
                )}
              </Field>
            </div>
            <Field label="Arquivo *" required error={errors.file?.message}>
              {(control) => (
                <Controller
                  control={form.control}
                  name="file"
                  render={({ field: { ref, value, onChange } }) => (
                    <FileDrop
                      {...control}
                      ref={ref}
                      file={value}
                      hint={`PNG, JPG, PDF, DOCX, etc. até ${limitLabel(limit)}`}
                      disabled={pending}
                      onChoose={choose}
                      onRefuse={refuse}
                      onRemove={() => onChange(null)}
                    />
                  )}
                />
              )}
            </Field>
            <Field label="Nome do Documento *" required error={errors.documentName?.message}>
              {(control) => (
                <Input {...control} {...form.field('documentName')} autoComplete="off" maxLength={255} />
              )}
            </Field>
            <div className="grid items-start gap-5 sm:grid-cols-2">
              <Field label="Tipo do Documento">
                {(control) => (
                  <Input
                    {...control}
                    {...form.field('documentType')}
                    autoComplete="off"
                    autoCapitalize="none"
                    spellCheck={false}
                    maxLength={255}
                  />
                )}
              </Field>
              <Field
                label="Data de Vencimento (Opcional)"
                error={errors.expiresAt?.message}
                {...(expiresAt !== '' &&
                  expiresAt < today() && { hint: 'Esta data já passou: o documento chega vencido.' })}
              >
                {(control) => (
                  <Input
                    {...control}
                    {...form.field('expiresAt')}
                    type="date"
                    min="1900-01-01"
                    max="9999-12-31"
                  />
                )}
              </Field>
            </div>
            <div className="grid items-center gap-x-5 gap-y-2 sm:grid-cols-2">
              <KindField folderId={folder} {...form.field('kind')} />
              <AudienceLine
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
          </fieldset>
          <div className="border-hairline border-t px-5 py-4 sm:px-6">
            {sending.share !== null && (
              <ProgressBar
                label={sending.share < 1 ? 'Enviando o arquivo' : 'Salvando o documento'}
                share={sending.share}
                className="mb-4"
              />
            )}
            <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
              {save.pending ? (
                <Button variant="secondary" disabled={sending.share === 1} onClick={sending.cancel}>
                  Cancelar envio
                </Button>
              ) : (
                <ButtonLink to={paths.adminDocuments()} variant="secondary">
                  Cancelar
                </ButtonLink>
              )}
              <Button type="submit" pending={pending}>
                Salvar Documento
              </Button>
            </div>
          </div>
        </form>
        <UnsavedChanges when={isDirty} description="O documento ainda não foi enviado." />
      </Card>
      <WrongClientDialog
        open={guard.open}
        others={guard.subject?.others ?? []}
        client={client?.fullName ?? client?.email ?? ''}
        onCancel={guard.close}
        onConfirm={() => {
          guard.close();
          if (guard.subject) save.run(guard.subject.document);
        }}
      />
    </>
  );
}
