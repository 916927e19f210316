// Fields of a form made by `useZodForm`: label, control, hint and error of one value.
import type { ComponentProps, ReactNode } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';

import type { FieldBinding } from '~/hooks/use-zod-form';
import { type ControlProps, Field } from '~/ui/field';
import { Input, Textarea } from '~/ui/input';
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

type FieldKey = keyof FieldProps<string>;

/** The props of a field and, beside them, those of its control. */
export type BoundProps<Name extends string, Control> = FieldProps<Name> & Omit<Control, FieldKey>;

type TextFieldProps<Name extends string> = BoundProps<Name, ComponentProps<'input'>>;

export function TextField<Name extends string>(props: TextFieldProps<Name>) {
  return <FormField {...props}>{(bound) => <Input {...bound} {...controlOf(props)} />}</FormField>;
}

/** An e-mail address. `autoComplete` is 'username' where it is the name of an account. */
export function EmailField<Name extends string>(props: TextFieldProps<Name> & { autoComplete: string }) {
  return <TextField {...props} type="email" inputMode="email" autoCapitalize="none" spellCheck={false} />;
}

/** A day, by the browser's own date picker. */
export function DateField<Name extends string>(props: TextFieldProps<Name>) {
  return <TextField {...props} type="date" min="1900-01-01" max="9999-12-31" />;
}

export function PasswordField<Name extends string>(
  props: TextFieldProps<Name> & { autoComplete: 'current-password' | 'new-password' },
) {
  return <FormField {...props}>{(bound) => <PasswordInput {...bound} {...controlOf(props)} />}</FormField>;
}

export function TextareaField<Name extends string>(props: BoundProps<Name, ComponentProps<'textarea'>>) {
  return <FormField {...props}>{(bound) => <Textarea {...bound} {...controlOf(props)} />}</FormField>;
}

type FormFieldProps<Name extends string> = FieldProps<Name> & {
  children: (bound: ControlProps & UseFormRegisterReturn) => ReactNode;
};

/** Ties a control to its label and to its value. */
export function FormField<Name extends string>({
  form,
  name,
  label,
  hint,
  required = false,
  className,
  children,
}: FormFieldProps<Name>) {
  return (
    <Field label={label} hint={hint} required={required} error={form.errorOf(name)} className={className}>
      {(aria) => children({ ...aria, ...form.registerField(name) })}
    </Field>
  );
}

/** What is not the field's own belongs to its control. */
export function controlOf<Given extends Partial<Record<FieldKey, unknown>> & { controlClassName?: string }>({
  form: _form,
  name: _name,
  label: _label,
  hint: _hint,
  required: _required,
  className: _className,
  controlClassName,
  ...control
}: Given): Omit<Given, FieldKey> & { className: string | undefined } {
  return { ...control, className: controlClassName };
}
