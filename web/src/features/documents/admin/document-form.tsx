// Form that edits a document.
import { Controller } from 'react-hook-form';

import { UnsavedChangesGuard } from '~/components/unsaved-changes-guard';
import {
  type AdminDocument,
  type DocumentUpdate,
  updateDocument,
} from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import { documentStatusLabel } from '~/features/documents/document-labels';
import { folderKeys } from '~/features/folders/api';
import { FolderCombobox } from '~/features/folders/components/folder-combobox';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { toDay } from '~/lib/dates';
import { toast } from '~/lib/toast';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { Select } from '~/ui/select';

import { documentSchema, type DocumentValues } from './document-schema';
import { NotificationKindField, parseFolderKind } from './notification-kind-field';

const STATUSES = ['active', 'pending', 'inactive'];
const hints: Record<string, string> = {
  active: 'O cliente vê e abre o documento.',
  pending: 'O cliente vê o nome do documento, mas ainda não o abre.',
};

/** Document form. `unsent` adds unsaved changes outside the form (a chosen file) to its navigation blocker. */
export function DocumentForm({ document, unsent }: { document: AdminDocument; unsent: boolean }) {
  const form = useZodForm(documentSchema, valuesOf(document));
  const save = useApiMutation({
    mutationFn: (values: DocumentValues) =>
      updateDocument({ id: document.id, ...changesIn(values, dirtyFields) }),
    invalidates: [documentKeys.all, folderKeys.all],
    successToast: { title: 'Documento atualizado com sucesso!' },
    errorToast: { title: 'Erro ao salvar documento' },
    onSuccess: (_, values) => form.reset(values),
  });
  const { errors, isDirty, dirtyFields } = form.formState;
  const [status, chosenFolder] = form.watch(['status', 'folderId']);
  return (
    <Panel title="Editar">
      <form
        noValidate
        className="flex flex-col gap-5 p-5"
        onSubmit={form.handleSubmit(
          (values) => save.mutate(values),
          () =>
            toast({
              title: 'Erro de Validação',
              description: 'Por favor, preencha todos os campos obrigatórios.',
              variant: 'error',
            }),
        )}
      >
        <fieldset disabled={save.isPending} className="flex min-w-0 flex-col gap-5">
          <Field label="Nome do Documento *" required error={errors.documentName?.message}>
            {(control) => (
              <Input
                {...control}
                {...form.registerField('documentName')}
                autoComplete="off"
                maxLength={255}
              />
            )}
          </Field>
          <Field label="Pasta *" required error={errors.folderId?.message}>
            {(control) => (
              <Controller
                control={form.control}
                name="folderId"
                render={({ field: { ref, value, onBlur, onChange } }) => (
                  <FolderCombobox
                    {...control}
                    ref={ref}
                    value={value}
                    onBlur={onBlur}
                    disabled={save.isPending}
                    onChange={(folderId) => {
                      onChange(folderId);
                      form.clearErrors('folderId');
                    }}
                  />
                )}
              />
            )}
          </Field>
          <Field label="Data de Vencimento (Opcional)" error={errors.expiresAt?.message}>
            {(control) => (
              <Input
                {...control}
                {...form.registerField('expiresAt')}
                type="date"
                min="1900-01-01"
                max="9999-12-31"
              />
            )}
          </Field>
          <NotificationKindField folderId={chosenFolder} {...form.registerField('kind')} />
          <Field
            label="Status"
            hint={hints[status] ?? 'O cliente vê o documento como inativo e ainda pode abri-lo.'}
          >
            {(control) => (
              <Select
                {...control}
                {...form.registerField('status')}
                options={statusesWith(document.status).map((value) => ({
                  value,
                  label: documentStatusLabel(value),
                }))}
              />
            )}
          </Field>
          <Field
            label="Guarda legal (motivo)"
            hint="Com um motivo, o documento não é excluído nem descartado, mesmo que o cliente peça para apagar os seus dados."
          >
            {(control) => (
              <Input {...control} {...form.registerField('holdReason')} maxLength={255} autoComplete="off" />
            )}
          </Field>
        </fieldset>
        <Button type="submit" pending={save.isPending} className="sm:self-end">
          Salvar Alterações
        </Button>
      </form>
      <UnsavedChangesGuard
        enabled={isDirty || unsent}
        description="As alterações deste documento ainda não foram salvas."
      />
    </Panel>
  );
}

function valuesOf({
  name,
  folder_id_supabase,
  expires_at,
  kind,
  status,
  hold_reason,
}: AdminDocument): DocumentValues {
  return {
    documentName: name,
    folderId: folder_id_supabase,
    expiresAt: expires_at === null ? '' : toDay(expires_at),
    kind: kind ?? '',
    status,
    holdReason: hold_reason ?? '',
  };
}

/** Changed fields only, so that the update keeps concurrent changes of other fields. */
function changesIn(
  { documentName, folderId, expiresAt, kind, status, holdReason }: DocumentValues,
  dirty: Partial<Record<keyof DocumentValues, boolean>>,
): DocumentUpdate {
  return {
    ...(dirty.documentName && { name: documentName }),
    ...(dirty.folderId && { folder_id_supabase: folderId }),
    ...(dirty.expiresAt && { expires_at: expiresAt === '' ? null : expiresAt }),
    ...(dirty.kind && { kind: parseFolderKind(kind) }),
    ...(dirty.status && { status }),
    ...(dirty.holdReason && { hold_reason: holdReason === '' ? null : holdReason }),
  };
}

/** Status options. An unknown status counts as inactive and stays available for its document. */
function statusesWith(status: string): string[] {
  return STATUSES.includes(status) ? STATUSES : ['active', 'pending', status];
}
