import type { ComponentProps } from 'react';

import { Select } from '~/ui/select';

import { type BoundProps, controlOf, FormField } from './form-fields';

/** A select bound to a form. It has a module of its own because the sign-in pages load `form-fields`. */
export function SelectField<Name extends string>(props: BoundProps<Name, ComponentProps<typeof Select>>) {
  return <FormField {...props}>{(bound) => <Select {...bound} {...controlOf(props)} />}</FormField>;
}
