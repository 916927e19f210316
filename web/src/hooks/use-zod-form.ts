import { useRef } from 'react';
import {
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type SubmitHandler,
  useForm,
  type UseFormRegisterReturn,
} from 'react-hook-form';
import * as z from 'zod/mini';

import { dismissToast, toast, type ToastMessage } from '~/lib/toast';

type InvalidToast = Omit<ToastMessage, 'variant'>;

type ZodFormOptions = {
  /** The toast of a form that is sent with invalid fields; a function receives the message of the first one. */
  invalidToast?: InvalidToast | ((message: string) => InvalidToast);
};

/** The toast of a form with required fields. */
export const REQUIRED_FIELDS_TOAST = {
  title: 'Erro de Validação',
  description: 'Por favor, preencha todos os campos obrigatórios.',
};

/** The part of a form that one field needs: the props of its control and the message below it. */
export type FieldBinding = { registration: UseFormRegisterReturn; error: string | undefined };

export type ZodForm<Values extends FieldValues> = ReturnType<typeof useZodForm<Values>>;

/**
 * A form checked by a schema when it is sent. The first invalid field receives the focus; the error of a field clears
 * when that field is edited. `values` that change later replace the fields that were not edited.
 */
export function useZodForm<Values extends FieldValues>(
  schema: z.core.$ZodType<Values, Values>,
  values: Values,
  { invalidToast }: ZodFormOptions = {},
) {
  const lastToast = useRef<number>(null);
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
  const registerField = (name: FieldPath<Values>) =>
    form.register(name, { onChange: () => form.clearErrors(name) });
  const errorOf = (name: FieldPath<Values>) => form.getFieldState(name, form.formState).error?.message;
  const bind = (name: FieldPath<Values>): FieldBinding => ({
    registration: registerField(name),
    error: errorOf(name),
  });
  /** Discards every change and begins with these values. */
  const reset = (next: Values) => form.reset(next, { keepDirtyValues: false, keepErrors: false });

  const showToast = (message: InvalidToast | undefined) => {
    if (lastToast.current !== null) dismissToast(lastToast.current);
    lastToast.current = message ? toast({ ...message, variant: 'error' }) : null;
  };
  const handleSubmit = (onValid: SubmitHandler<Values>) =>
    form.handleSubmit(
      (valid, event) => {
        showToast(undefined);
        return onValid(valid, event);
      },
      (errors) => {
        const message: unknown = Object.values(errors)[0]?.message;
        const first = typeof message === 'string' ? message : '';
        showToast(typeof invalidToast === 'function' ? invalidToast(first) : invalidToast);
      },
    );
  return { ...form, registerField, errorOf, bind, reset, handleSubmit };
}

/** The first error of each field. No form here has nested fields. */
function toFieldErrors<Values extends FieldValues>(issues: readonly z.core.$ZodIssue[]): FieldErrors<Values> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, code, message } of issues) errors[String(path[0])] ??= { type: code, message };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema's paths are the names of its values.
  return errors as FieldErrors<Values>;
}
