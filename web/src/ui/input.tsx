// Text inputs.
import { type ComponentProps } from 'react';

import { cn } from './cn';

export const inputClasses =
  'w-full rounded border border-input/60 text-ellipsis bg-card px-3 text-base text-foreground transition-colors placeholder:text-muted-foreground hover:border-input focus-visible:border-ring focus-visible:outline-offset-0 disabled:bg-muted disabled:text-muted-foreground disabled:hover:border-input/60 aria-invalid:border-danger';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cn(inputClasses, 'h-11', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={6} {...rest} className={cn(inputClasses, 'py-2.5', className)} />;
}
