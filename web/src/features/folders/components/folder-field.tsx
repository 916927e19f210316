import { Controller, type FieldPath, type FieldValues } from 'react-hook-form';

import type { ZodForm } from '~/hooks/use-zod-form';
import { Field } from '~/ui/field';

import { FolderCombobox } from './folder-combobox';

type FolderFieldProps<Values extends FieldValues> = {
  form: ZodForm<Values>;
  name: FieldPath<Values>;
  disabled: boolean;
};

/** The folder of a document: a required field of a form. */
export function FolderField<Values extends FieldValues>({ form, name, disabled }: FolderFieldProps<Values>) {
  return (
    <Field label="Pasta *" required error={form.errorOf(name)}>
      {(control) => (
        <Controller
          control={form.control}
          name={name}
          render={({ field: { ref, value, onBlur, onChange } }) => (
            <FolderCombobox
              {...control}
              ref={ref}
              value={value}
              onBlur={onBlur}
              disabled={disabled}
              onChange={(folderId) => {
                onChange(folderId);
                form.clearErrors(name);
              }}
            />
          )}
        />
      )}
    </Field>
  );
}
