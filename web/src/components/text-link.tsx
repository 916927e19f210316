import type { ComponentProps } from 'react';
import { Link } from 'react-router';

import { cn } from '~/ui/cn';

/** A link in running text or in a list. */
export function TextLink({ className, ...rest }: ComponentProps<typeof Link>) {
  return <Link {...rest} className={cn('text-primary hover:underline', className)} />;
}
