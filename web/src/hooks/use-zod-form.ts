// Forms: react-hook-form with validation by zod.
import { type FieldErrors, type FieldPath, type FieldValues, useForm } from 'react-hook-form';
import * as z from 'zod/mini';

/**
 * A form that is validated by a schema on submit. Editing a field clears its error. When `values` changes after a refetch,
 * only fields without user changes are updated.
 */
export function useZodForm<Values extends FieldValues>(
  schema: z.core.$ZodType<Values, Values>,
  values: Values,
) {
  const form = useForm<Values, unknown, Values>({
    resolver: (submitted) => {
      const { data, error } = z.safeParse(schema, submitted);
      return error
        ? { values: {}, errors: toFieldErrors<Values>(error.issues) }
        : { values: data, errors: {} };
    },
    values,
    resetOptions: { keepDirtyValues: true, keepErrors: true },
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
  });
  /** The props of a native input. */
  const registerField = (name: FieldPath<Values>) =>
    form.register(name, { onChange: () => form.clearErrors(name) });
  /** Replaces all values and discards changes and errors. */
  const reset = (next: Values) => form.reset(next, { keepDirtyValues: false, keepErrors: false });
  return { ...form, registerField, reset };
}

/** The first issue of each field. Nested fields are not supported. */
function toFieldErrors<Values extends FieldValues>(issues: readonly z.core.$ZodIssue[]): FieldErrors<Values> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, code, message } of issues) errors[String(path[0])] ??= { type: code, message };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema's paths are the names of its values.
  return errors as FieldErrors<Values>;
}
