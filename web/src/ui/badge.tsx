import type { ReactNode } from 'react';

import { cn } from './cn';

export type Tone = 'open' | 'progress' | 'closed' | 'danger' | 'primary';

const tones: Record<Tone, string> = {
  open: 'bg-open-tint text-open',
  progress: 'bg-progress-tint text-progress',
  closed: 'bg-closed-tint text-closed',
  danger: 'bg-danger-tint text-danger',
  primary: 'bg-primary-tint text-primary',
};

type BadgeProps = { tone: Tone; icon?: ReactNode; className?: string; children: ReactNode };

/** A status in a word; the colour only repeats what the word says. */
export function Badge({ tone, icon, className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-[13px] leading-5 font-medium whitespace-nowrap tabular',
        tones[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
