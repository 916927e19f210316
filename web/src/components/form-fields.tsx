// Fields of a form made by `useZodForm`: label, control, hint and error of one value.
import type { ComponentProps, ElementType, ReactNode } from 'react';

import type { FieldBinding } from '~/hooks/use-zod-form';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { PasswordInput } from '~/ui/password-input';

type FieldProps<Name extends string> = {
  form: FieldBinding<Name>;
  name: Name;
  label: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  /** Classes of the whole field; those of the control are `controlClassName`. */
  className?: string;
  controlClassName?: string;
};

/** The props of a field and, beside them, those of its control. */
export type BoundProps<Name extends string, Control> = FieldProps<Name> &
  Omit<Control, keyof FieldProps<Name>>;

export type TextFieldProps<Name extends string> = BoundProps<Name, ComponentProps<'input'>>;

export function TextField<Name extends string>(props: TextFieldProps<Name>) {
  return <FormField as={Input} {...props} />;
}

/** An e-mail address. `autoComplete` is 'username' where it is the name of an account. */
export function EmailField<Name extends string>(props: TextFieldProps<Name> & { autoComplete: string }) {
  return <TextField {...props} type="email" inputMode="email" autoCapitalize="none" spellCheck={false} />;
}

export function PasswordField<Name extends string>(
  props: TextFieldProps<Name> & { autoComplete: 'current-password' | 'new-password' },
) {
  return <FormField as={PasswordInput} {...props} />;
}

/** Ties a control to its label and to its value. What is not the field's own goes to the control. */
export function FormField<Name extends string>({
  as: Control,
  form,
  name,
  label,
  hint,
  required = false,
  className,
  controlClassName,
  ...control
}: FieldProps<Name> & { as: ElementType }) {
  return (
    <Field label={label} hint={hint} required={required} error={form.errorOf(name)} className={className}>
      {(aria) => (
        <Control {...aria} {...form.registerField(name)} {...control} className={controlClassName} />
      )}
    </Field>
  );
}
