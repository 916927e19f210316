// Link from a screen to its page of the guide.
import { CircleHelp } from 'lucide-react';

import { TextLink } from '~/components/text-link';

export function HelpLink({ to }: { to: string }) {
  return (
    <TextLink to={to} className="inline-flex min-h-11 items-center gap-1.5 text-sm font-medium print:hidden">
      <CircleHelp size={18} aria-hidden />
      Como funciona?
    </TextLink>
  );
}
