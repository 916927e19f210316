// Fields that the sign-in pages do without. `form-fields` does not import them, since those pages load it.
import type { ComponentProps } from 'react';

import { Textarea } from '~/ui/input';
import { Select } from '~/ui/select';

import { type BoundProps, FormField, TextField, type TextFieldProps } from './form-fields';

/** A day, by the browser's own date picker. */
export function DateField(props: TextFieldProps) {
  return <TextField {...props} type="date" min="1900-01-01" max="9999-12-31" />;
}

export function TextareaField(props: BoundProps<ComponentProps<'textarea'>>) {
  return <FormField as={Textarea} {...props} />;
}

export function SelectField(props: BoundProps<ComponentProps<typeof Select>>) {
  return <FormField as={Select} {...props} />;
}
