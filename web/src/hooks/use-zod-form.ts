import { type FieldErrors, type FieldPath, type FieldValues, useForm } from 'react-hook-form';
import * as z from 'zod/mini';

/**
 * A form checked by a schema when it is sent; the error of a field clears when that field is edited. Values that come
 * later, since what it shows was read anew, go into the fields that nobody has changed.
 */
export function useZodForm<Values extends FieldValues>(
  schema: z.core.$ZodType<Values, Values>,
  values: Values,
) {
  const form = useForm<Values, unknown, Values>({
    resolver: (sent) => {
      const { data, error } = z.safeParse(schema, sent);
      return error
        ? { values: {}, errors: toFieldErrors<Values>(error.issues) }
        : { values: data, errors: {} };
    },
    values,
    resetOptions: { keepDirtyValues: true, keepErrors: true },
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
  });
  /** The props of a native control. */
  const registerField = (name: FieldPath<Values>) =>
    form.register(name, { onChange: () => form.clearErrors(name) });
  /** Begins anew with these, whatever was changed. */
  const reset = (next: Values) => form.reset(next, { keepDirtyValues: false, keepErrors: false });
  return { ...form, registerField, reset };
}

/** The first thing that is wrong with each field. No form here has fields within fields. */
function toFieldErrors<Values extends FieldValues>(issues: readonly z.core.$ZodIssue[]): FieldErrors<Values> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, code, message } of issues) errors[String(path[0])] ??= { type: code, message };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema's paths are the names of its values.
  return errors as FieldErrors<Values>;
}
