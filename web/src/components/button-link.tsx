import type { ComponentProps } from 'react';
import { Link } from 'react-router';

import { buttonClasses, type ButtonAppearance } from '~/ui/button';

type ButtonLinkProps = ButtonAppearance & ComponentProps<typeof Link>;

/** A link that looks like a button: it navigates, so it can be opened in a new tab. */
export function ButtonLink({ variant = 'primary', icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={buttonClasses(variant, className)}>
      {icon}
      {children}
    </Link>
  );
}
