// Dialog that creates or edits a folder.
import * as z from 'zod/mini';

import { FormDialog } from '~/components/form-dialog';
import { TextField } from '~/components/form-fields';
import { SelectField } from '~/components/more-form-fields';
import { documentKeys } from '~/features/documents/api/documents';
import { folderKindLabels } from '~/features/documents/document-labels';
import { updateFolder, createFolder, type FolderInput, type AdminFolder } from '~/features/folders/admin-api';
import { folderKeys } from '~/features/folders/api';
import { FolderIcon, folderIconLabels } from '~/features/folders/components/folder-icon';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useZodForm } from '~/hooks/use-zod-form';
import { refetchChanged } from '~/lib/api/query-client';
import { foldAccents } from '~/lib/text-search';
import { Checkbox } from '~/ui/checkbox';
import { toOptions } from '~/ui/select';

const kindSchema = z.enum(['', 'contrato', 'fatura', 'relatorio', 'aviso']);

const schema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'O nome da pasta é obrigatório.')),
  icon: z.string(),
  kind: kindSchema,
  retentionMonths: z
    .string()
    .check(z.trim(), z.refine(isMonthsOrBlank, 'Informe de 1 a 1200 meses, ou deixe vazio.')),
  autoDelete: z.boolean(),
  legalHoldReason: z.string().check(z.trim()),
});

type FolderValues = z.infer<typeof schema>;

function isMonthsOrBlank(text: string): boolean {
  return text === '' || (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1200);
}

type FolderFormDialogProps = {
  /** Null creates a new folder. */
  folder: AdminFolder | null;
  existing: readonly AdminFolder[];
  open: boolean;
  onClose: () => void;
};

export function FolderFormDialog({ folder, existing, open, onClose }: FolderFormDialogProps) {
  const form = useZodForm<FolderValues>(schema, {
    name: folder?.name ?? '',
    icon: folder?.icon ?? 'folder',
    kind: folder?.kind ?? '',
    retentionMonths: folder?.retention_months?.toString() ?? '',
    autoDelete: folder?.auto_delete ?? false,
    legalHoldReason: folder?.legal_hold_reason ?? '',
  });
  const saving = useApiMutation({
    mutationFn: (values: FolderValues) =>
      folder === null
        ? createFolder(toFolderInput(values), existing)
        : updateFolder(folder.id, changesIn(values, dirtyFields)),
    invalidates: [folderKeys.all, documentKeys.all],
    successToast: { title: folder === null ? 'Pasta criada com sucesso!' : 'Pasta atualizada com sucesso!' },
    errorToast: { title: 'Erro ao salvar pasta' },
    // The folder may exist although the answer was lost, and another attempt has to find its name taken.
    onError: () => void refetchChanged(folderKeys.all),
    onSuccess: onClose,
  });
  const { isDirty, dirtyFields } = form.formState;
  const save = (values: FolderValues) => {
    const name = foldAccents(values.name);
    const isTaken = existing.some(
      (other) => other.id !== folder?.id && !other.archived && foldAccents(other.name) === name,
    );
    if (isTaken && values.name !== folder?.name)
      form.setError('name', { message: 'Já existe uma pasta com este nome.' }, { shouldFocus: true });
    else saving.mutate(values);
  };
  const retentionMonths = form.watch('retentionMonths');
  return (
    <FormDialog
      open={open}
      title={folder === null ? 'Nova Pasta' : 'Editar Pasta'}
      dirty={isDirty}
      pending={saving.isPending}
      onSubmit={() => void form.handleSubmit(save)()}
      onClose={onClose}
    >
      <TextField {...form.bind('name')} label="Nome *" required maxLength={200} autoComplete="off" />
      <fieldset>
        <legend className="text-sm font-medium">Ícone</legend>
        <div className="mt-1.5 grid grid-cols-4 gap-2">
          {Object.entries(folderIconLabels).map(([icon, label]) => (
            <label
              key={icon}
              className="border-border has-checked:border-primary has-checked:bg-primary-subtle has-checked:text-primary has-focus-visible:outline-ring text-muted-foreground text-caption flex min-h-16 cursor-pointer flex-col items-center justify-center gap-1 rounded border px-1 py-2 has-focus-visible:outline-2"
            >
              <input type="radio" value={icon} {...form.registerField('icon')} className="sr-only" />
              <FolderIcon name={icon} size={20} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <SelectField
        {...form.bind('kind')}
        label="Tipo"
        hint="Decide quais emails os documentos desta pasta geram."
        placeholder="Nenhum"
        options={toOptions(folderKindLabels)}
      />
      <fieldset className="border-border flex flex-col gap-5 border-t pt-5">
        <legend className="sr-only">Guarda e descarte</legend>
        <TextField
          {...form.bind('retentionMonths')}
          label="Guardar os documentos por (meses)"
          hint="Contados do envio ou do vencimento, o que for mais tarde. Vazio: para sempre."
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
          placeholder="60"
        />
        {retentionMonths.trim() !== '' && (
          <Checkbox
            {...form.registerField('autoDelete')}
            label="Descartar sozinho o que passou do prazo"
            hint="Uma semana depois de aparecer em “A descartar”. Desmarcado, o escritório decide por lá."
          />
        )}
        <TextField
          {...form.bind('legalHoldReason')}
          label="Guarda legal (motivo)"
          hint="Quando a lei manda guardar: nada desta pasta é excluído até o fim do prazo, mesmo que o cliente peça para apagar os seus dados."
          maxLength={255}
          autoComplete="off"
          placeholder="Obrigação fiscal: CTN, art. 173"
        />
      </fieldset>
    </FormDialog>
  );
}

function toFolderInput({
  name,
  icon,
  kind,
  retentionMonths,
  autoDelete,
  legalHoldReason,
}: FolderValues): FolderInput {
  return {
    name,
    icon,
    kind: kind === '' ? null : kind,
    retention_months: retentionMonths === '' ? null : Number(retentionMonths),
    // Automatic deletion requires a retention period.
    auto_delete: autoDelete && retentionMonths !== '',
    legal_hold_reason: legalHoldReason === '' ? null : legalHoldReason,
  };
}

/** Changed fields only, so that the update keeps concurrent changes of other fields. */
function changesIn(
  values: FolderValues,
  dirty: Partial<Record<keyof FolderValues, boolean>>,
): Partial<FolderInput> {
  const { name, icon, kind, retention_months, auto_delete, legal_hold_reason } = toFolderInput(values);
  return {
    ...(dirty.name && { name }),
    ...(dirty.icon && { icon }),
    ...(dirty.kind && { kind }),
    ...(dirty.retentionMonths && { retention_months }),
    ...((dirty.autoDelete || dirty.retentionMonths) && { auto_delete }),
    ...(dirty.legalHoldReason && { legal_hold_reason }),
  };
}
