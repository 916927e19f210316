// Templates: fill the form from one, save the form as one, delete one.
import { useQuery } from '@tanstack/react-query';
import { Save, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { FormDialog } from '~/components/form-dialog';
import {
  deleteTemplate,
  type RequestTemplate,
  requestTemplatesQuery,
  saveTemplate,
  templateKeys,
} from '~/features/requests/api/templates';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useDialogState } from '~/hooks/use-dialog-state';
import type { TemplateItem } from '~/lib/api/database';
import { Button } from '~/ui/button';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { Select } from '~/ui/select';

type TemplateBarProps = {
  /** The items of the form that have a name. */
  items: readonly TemplateItem[];
  onPick: (items: readonly TemplateItem[]) => void;
};

export function TemplateBar({ items, onPick }: TemplateBarProps) {
  const { data: templates = [] } = useQuery(requestTemplatesQuery());
  const [pickedId, setPickedId] = useState('');
  const picked = templates.find(({ id }) => id === pickedId);
  const naming = useDialogState<RequestTemplate | null>();
  const deletion = useDialogState<RequestTemplate>();
  const removal = useApiMutation({
    mutationFn: deleteTemplate,
    invalidates: [templateKeys.all],
    successToast: { title: 'Modelo excluído' },
    errorToast: { title: 'Erro ao excluir modelo' },
    onSettled: deletion.close,
  });
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label="Modelo" className="min-w-56 flex-1">
        {(control) => (
          <Select
            {...control}
            placeholder={templates.length === 0 ? 'Nenhum modelo salvo' : 'Sem modelo'}
            options={templates.map(({ id, name }) => ({ value: id, label: name }))}
            value={picked?.id ?? ''}
            onChange={({ target }) => {
              setPickedId(target.value);
              const template = templates.find(({ id }) => id === target.value);
              if (template) onPick(template.items);
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        {picked && (
          <Button
            variant="quiet-danger"
            icon={<Trash2 size={18} aria-hidden />}
            onClick={() => deletion.show(picked)}
          >
            Excluir modelo
          </Button>
        )}
        <Button
          variant="secondary"
          icon={<Save size={18} aria-hidden />}
          disabled={items.length === 0}
          onClick={() => naming.show(picked ?? null)}
        >
          Salvar como modelo
        </Button>
      </div>
      <TemplateNameDialog
        key={naming.key}
        template={naming.item}
        items={items}
        open={naming.open}
        onClose={naming.close}
      />
      <ConfirmDialog
        open={deletion.open}
        onOpenChange={(open) => !open && deletion.close()}
        title="Confirmar Exclusão"
        description={`O modelo “${deletion.item?.name ?? ''}” é excluído. O que já foi solicitado fica.`}
        confirm="Excluir"
        danger
        pending={removal.isPending}
        onConfirm={() => deletion.item && removal.mutate(deletion.item.id)}
      />
    </div>
  );
}

type TemplateNameDialogProps = {
  /** The template that was picked last: saving under its name replaces it. */
  template: RequestTemplate | null;
  items: readonly TemplateItem[];
  open: boolean;
  onClose: () => void;
};

function TemplateNameDialog({ template, items, open, onClose }: TemplateNameDialogProps) {
  const [name, setName] = useState(template?.name ?? '');
  const [error, setError] = useState<string>();
  const saving = useApiMutation({
    mutationFn: saveTemplate,
    invalidates: [templateKeys.all],
    successToast: { title: 'Modelo salvo' },
    errorToast: { title: 'Erro ao salvar modelo' },
    onSuccessIfMounted: onClose,
  });
  const submit = () => {
    const given = name.trim();
    if (given === '') return setError('Dê um nome ao modelo.');
    saving.mutate({ id: template?.name === given ? template.id : null, name: given, items: [...items] });
  };
  return (
    <FormDialog
      open={open}
      title="Salvar como modelo"
      dirty={name !== (template?.name ?? '') && !saving.isPending}
      pending={saving.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Nome do modelo *"
        required
        error={error}
        {...(template && { hint: `Com o mesmo nome, o modelo “${template.name}” é substituído.` })}
      >
        {(control) => (
          <Input
            {...control}
            maxLength={120}
            autoComplete="off"
            placeholder="Documentos do mês"
            value={name}
            onChange={({ target }) => {
              setName(target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
    </FormDialog>
  );
}
