// The items of a request or of a template.
import { Plus, Trash2 } from 'lucide-react';

import type { TemplateItem } from '~/lib/api/database';
import { focusAdded } from '~/lib/focus-added';
import { Button } from '~/ui/button';
import { Checkbox } from '~/ui/checkbox';
import { Field } from '~/ui/field';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';

import { type DraftItem, emptyItem } from './draft-items';

type ItemsFieldProps = {
  items: readonly DraftItem[];
  /** The message below items without a name. */
  error: string | undefined;
  onChange: (items: DraftItem[]) => void;
};

export function ItemsField({ items, error, onChange }: ItemsFieldProps) {
  const change = (key: string, values: Partial<TemplateItem>) =>
    onChange(items.map((item) => (item.key === key ? { ...item, ...values } : item)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="mb-3 text-lg font-semibold">Itens</legend>
      {items.map((item, index) => (
        <div
          key={item.key}
          role="group"
          aria-label={`Item ${index + 1}`}
          className="border-border grid gap-x-4 gap-y-3 rounded border p-4 md:grid-cols-2"
        >
          <Field label={`Item ${index + 1} *`} required error={item.name.trim() === '' ? error : undefined}>
            {(control) => (
              <Input
                {...control}
                maxLength={120}
                autoComplete="off"
                placeholder="Extrato bancário"
                value={item.name}
                onChange={({ target }) => change(item.key, { name: target.value })}
              />
            )}
          </Field>
          <Field label="Orientação (opcional)">
            {(control) => (
              <Input
                {...control}
                maxLength={500}
                autoComplete="off"
                placeholder="Em PDF, de todas as contas"
                value={item.hint ?? ''}
                onChange={({ target }) => change(item.key, { hint: target.value || null })}
              />
            )}
          </Field>
          <div className="flex items-center justify-between gap-3 md:col-span-2">
            <Checkbox
              label="Repetir todo mês"
              checked={item.repeats_monthly}
              onChange={({ target }) => change(item.key, { repeats_monthly: target.checked })}
            />
            {items.length > 1 && (
              <IconButton
                label={`Remover item ${index + 1}`}
                icon={<Trash2 size={18} aria-hidden />}
                onClick={() => onChange(items.filter(({ key }) => key !== item.key))}
              />
            )}
          </div>
        </div>
      ))}
      <Button
        variant="secondary"
        icon={<Plus size={20} aria-hidden />}
        onClick={({ currentTarget }) => {
          focusAdded(currentTarget.parentElement);
          onChange([...items, emptyItem()]);
        }}
        className="self-start"
      >
        Adicionar item
      </Button>
    </fieldset>
  );
}
