// Link with the appearance of a button.
import type { ComponentProps } from 'react';
import { Link } from 'react-router';

import { buttonClasses, type ButtonAppearance } from '~/ui/button';

type ButtonLinkProps = ButtonAppearance & ComponentProps<typeof Link>;

/** Renders a link, not a button, so it can be opened in a new tab. */
export function ButtonLink({ variant = 'primary', icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={buttonClasses(variant, className)}>
      {icon}
      {children}
    </Link>
  );
}
