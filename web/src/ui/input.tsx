import { type ComponentProps } from 'react';

import { cn } from './cn';

export const inputClasses =
  'w-full rounded border border-control/60 bg-surface px-3 text-base text-ink transition-colors placeholder:text-muted hover:border-control focus-visible:border-focus focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-muted disabled:hover:border-control/60 aria-invalid:border-danger';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cn(inputClasses, 'h-11', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={6} {...rest} className={cn(inputClasses, 'py-2.5', className)} />;
}
