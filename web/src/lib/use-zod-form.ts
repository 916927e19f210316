import { zodResolver } from '@hookform/resolvers/zod';
import { type DefaultValues, type FieldPath, type FieldValues, useForm } from 'react-hook-form';
import type { $ZodType } from 'zod/v4/core';

/** A form checked by a schema when it is sent; the error of a field clears when that field is edited. */
export function useZodForm<Values extends FieldValues>(
  schema: $ZodType<Values, Values>,
  defaultValues: DefaultValues<Values>,
) {
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
  });
  /** The props of a native control. */
  const field = (name: FieldPath<Values>) => form.register(name, { onChange: () => form.clearErrors(name) });
  return { ...form, field };
}
