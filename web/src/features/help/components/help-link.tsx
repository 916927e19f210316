// Link from a screen to its page of the guide.
import { CircleHelp } from 'lucide-react';

import { TextLink } from '~/components/text-link';

export function HelpLink({ to }: { to: string }) {
  return (
    // The negative margin keeps the height of the target out of the line of the text.
    <TextLink
      to={to}
      className="-my-3 inline-flex min-h-11 items-center gap-1.5 align-middle text-sm font-medium print:hidden"
    >
      <CircleHelp size={18} aria-hidden />
      Como funciona?
    </TextLink>
  );
}
