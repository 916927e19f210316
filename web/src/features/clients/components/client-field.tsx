import { Controller, type FieldPath, type FieldValues } from 'react-hook-form';

import type { Client } from '~/features/clients/api/clients';
import type { ZodForm } from '~/hooks/use-zod-form';
import { Field } from '~/ui/field';

import { ClientCombobox } from './client-combobox';

type ClientFieldProps<Values extends FieldValues> = {
  form: ZodForm<Values>;
  name: FieldPath<Values>;
  initial?: Client | null;
  disabled: boolean;
  onChange: (client: Client | null) => void;
};

/** A client: a required field of a form. Its value is the client's id; `onChange` receives the client. */
export function ClientField<Values extends FieldValues>({
  form,
  name,
  initial = null,
  disabled,
  onChange: onClient,
}: ClientFieldProps<Values>) {
  return (
    <Field label="Cliente *" required error={form.errorOf(name)}>
      {(control) => (
        <Controller
          control={form.control}
          name={name}
          render={({ field: { ref, onBlur, onChange } }) => (
            <ClientCombobox
              {...control}
              ref={ref}
              onBlur={onBlur}
              disabled={disabled}
              initial={initial}
              onChange={(client) => {
                onClient(client);
                onChange(client?.id ?? '');
                form.clearErrors(name);
              }}
            />
          )}
        />
      )}
    </Field>
  );
}
