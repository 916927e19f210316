import { type BaseSyntheticEvent, useEffect, useRef } from 'react';
import {
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type SubmitHandler,
  useForm,
  type UseFormRegisterReturn,
} from 'react-hook-form';
import type * as z from 'zod/mini';

import { toUserMessage } from '~/lib/api/error-messages';
import { INCOMPLETE_INPUT, isIncomplete } from '~/lib/incomplete-input';
import { dismissToast, toast, type ToastMessage } from '~/lib/toast';
import { whenIdle } from '~/lib/when-idle';

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

type Schema<Values> = z.core.$ZodType<Values, Values>;
type Issue = { message: string; path?: readonly unknown[] | undefined };

/** The part of a form that one field needs: the props of its control and the message below it. */
export type FieldBinding = { registration: UseFormRegisterReturn; error: string | undefined };

export type ZodForm<Values extends FieldValues> = ReturnType<typeof useZodForm<Values>>;

/**
 * A form checked by a schema when it is sent. The first invalid field receives the focus; the error of a field clears
 * when that field is edited. `values` that change later replace the fields that were not edited.
 *
 * Forms that visitors see first pass a function, which loads the schema when the page is idle: zod is a tenth of what
 * these pages load.
 */
export function useZodForm<Values extends FieldValues>(
  schema: Schema<Values> | (() => Promise<Schema<Values>>),
  values: Values,
  { invalidToast }: ZodFormOptions = {},
) {
  const lastToast = useRef<number>(null);
  const isChecking = useRef(false);
  const firstSchema = useRef(schema);
  useEffect(() => {
    const load = firstSchema.current;
    // If this fails, sending the form loads it.
    if (typeof load === 'function') whenIdle(() => void load().catch(() => {}));
  }, []);
  const form = useForm<Values, unknown, Values>({
    resolver: async (sent, _, { fields }) => {
      const incomplete = Object.entries(fields)
        .filter(([, field]) => isIncomplete(field?.ref))
        .map(([name]) => ({ path: [name], message: INCOMPLETE_INPUT }));
      if (incomplete.length > 0) return { values: {}, errors: toFieldErrors<Values>(incomplete) };
      const loaded = typeof schema === 'function' ? await schema() : schema;
      const result = await loaded['~standard'].validate(sent);
      return result.issues
        ? { values: {}, errors: toFieldErrors<Values>(result.issues) }
        : { values: result.value, errors: {} };
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
  const handleSubmit = (onValid: SubmitHandler<Values>) => {
    const submit = form.handleSubmit(
      (valid, event) => {
        isChecking.current = false;
        showToast(undefined);
        return onValid(valid, event);
      },
      (errors) => {
        isChecking.current = false;
        const message: unknown = Object.values(errors)[0]?.message;
        const first = typeof message === 'string' ? message : '';
        showToast(typeof invalidToast === 'function' ? invalidToast(first) : invalidToast);
      },
    );
    return async (event?: BaseSyntheticEvent) => {
      // A second click while the schema is loading does not send the form twice.
      if (isChecking.current) return event?.preventDefault();
      isChecking.current = true;
      await submit(event)
        .catch((error: unknown) => {
          // An error of `onValid` is not handled here, but that of a schema that cannot be loaded is.
          if (!isChecking.current) throw error;
          const description = toUserMessage(error, 'Recarregue a página e tente novamente.');
          showToast({ title: 'Erro', description });
        })
        .finally(() => {
          isChecking.current = false;
        });
    };
  };
  return { ...form, registerField, errorOf, bind, reset, handleSubmit };
}

/** The first error of each field. No form here has nested fields. */
function toFieldErrors<Values extends FieldValues>(issues: readonly Issue[]): FieldErrors<Values> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, message } of issues) errors[String(path?.[0])] ??= { type: 'schema', message };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema's paths are the names of its values.
  return errors as FieldErrors<Values>;
}
