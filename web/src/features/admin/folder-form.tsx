import * as z from 'zod/mini';

import { changeFolder, createFolder, type ManagedFolder } from '~/data/admin-folders';
import { folderKeys } from '~/data/folders';
import { folderKindLabels, optionsOf } from '~/lib/labels';
import type { FolderKind } from '~/lib/tables';
import { useAction } from '~/lib/use-action';
import { useZodForm } from '~/lib/use-zod-form';
import { Field } from '~/ui/field';
import { FolderIcon, folderIconLabels } from '~/ui/folder-icon';
import { Input } from '~/ui/input';
import { Select } from '~/ui/select';

import { FormDialog } from './form-dialog';

const kindSchema = z.enum(['', 'contrato', 'fatura', 'relatorio', 'aviso']);

const schema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'O nome da pasta é obrigatório.')),
  icon: z.string(),
  kind: kindSchema,
});

type FolderFormProps = {
  /** Null: a new one. */
  folder: ManagedFolder | null;
  there: readonly ManagedFolder[];
  open: boolean;
  onClose: () => void;
};

export function FolderForm({ folder, there, open, onClose }: FolderFormProps) {
  const form = useZodForm<z.infer<typeof schema>>(schema, {
    name: folder?.name ?? '',
    icon: folder?.icon ?? 'folder',
    kind: folder?.kind ?? '',
  });
  const saving = useAction({
    run: ({ kind, ...words }: z.infer<typeof schema>) => {
      const values = { ...words, kind: kindOf(kind) };
      return folder === null ? createFolder(values, there) : changeFolder(folder.id, values);
    },
    refreshes: [folderKeys.all],
    success: { title: folder === null ? 'Pasta criada com sucesso!' : 'Pasta atualizada com sucesso!' },
    failure: { title: 'Erro ao salvar pasta' },
    onSuccess: onClose,
  });
  const { errors, isDirty } = form.formState;
  return (
    <FormDialog
      open={open}
      title={folder === null ? 'Nova Pasta' : 'Editar Pasta'}
      dirty={isDirty}
      pending={saving.pending}
      onSubmit={() => void form.handleSubmit((values) => saving.run(values))()}
      onClose={onClose}
    >
      <Field label="Nome *" required error={errors.name?.message}>
        {(control) => <Input {...control} {...form.field('name')} maxLength={200} autoComplete="off" />}
      </Field>
      <fieldset>
        <legend className="text-sm font-medium">Ícone</legend>
        <div className="mt-1.5 grid grid-cols-4 gap-2">
          {Object.entries(folderIconLabels).map(([icon, label]) => (
            <label
              key={icon}
              className="border-hairline has-checked:border-primary has-checked:bg-primary-tint has-checked:text-primary has-focus-visible:outline-focus text-muted flex min-h-16 cursor-pointer flex-col items-center justify-center gap-1 rounded border px-1 py-2 text-[13px] has-focus-visible:outline-2"
            >
              <input type="radio" value={icon} {...form.field('icon')} className="sr-only" />
              <FolderIcon name={icon} size={20} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <Field label="Tipo" hint="Decide quais emails os documentos desta pasta geram.">
        {(control) => (
          <Select
            {...control}
            {...form.field('kind')}
            placeholder="Nenhum"
            options={optionsOf(folderKindLabels)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function kindOf(kind: z.infer<typeof kindSchema>): FolderKind | null {
  return kind === '' ? null : kind;
}
