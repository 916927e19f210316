// Fields of a form made by `useZodForm`: label, control, hint and error of one value, as in
// `<TextField {...form.bind('name')} label="Nome" />`.
import type { ComponentProps, ElementType, ReactNode } from 'react';

import type { FieldBinding } from '~/hooks/use-zod-form';
import { Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { PasswordInput } from '~/ui/password-input';

type FieldProps = FieldBinding & {
  label: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  /** Classes of the whole field; those of the control are `controlClassName`. */
  className?: string;
  controlClassName?: string;
};

/** The props of a field and, beside them, those of its control. */
export type BoundProps<Control> = FieldProps & Omit<Control, keyof FieldProps>;

export type TextFieldProps = BoundProps<ComponentProps<'input'>>;

export function TextField(props: TextFieldProps) {
  return <FormField as={Input} {...props} />;
}

/** An e-mail address. `autoComplete` is 'username' where it is the name of an account. */
export function EmailField(props: TextFieldProps & { autoComplete: string }) {
  return <TextField {...props} type="email" inputMode="email" autoCapitalize="none" spellCheck={false} />;
}

export function PasswordField(props: TextFieldProps & { autoComplete: 'current-password' | 'new-password' }) {
  return <FormField as={PasswordInput} {...props} />;
}

/** Connects a control to its label and its value. All other props go to the control. */
export function FormField({
  as: Control,
  registration,
  error,
  label,
  hint,
  required = false,
  className,
  controlClassName,
  ...control
}: FieldProps & { as: ElementType }) {
  return (
    <Field label={label} hint={hint} required={required} error={error} className={className}>
      {(aria) => <Control {...aria} {...registration} {...control} className={controlClassName} />}
    </Field>
  );
}
