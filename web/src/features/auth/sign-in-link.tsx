// A link below the sign-in form.
import type { ReactNode } from 'react';

import { TextLink } from '~/components/text-link';

export function SignInLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <TextLink
      to={to}
      className="text-body inline-flex min-h-11 items-center gap-2 self-center rounded px-2 font-medium"
    >
      {children}
    </TextLink>
  );
}
