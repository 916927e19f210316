// Badge.
import type { ReactNode } from 'react';

import { cn } from './cn';

export type Tone = 'success' | 'warning' | 'neutral' | 'danger' | 'primary';

const tones: Record<Tone, string> = {
  success: 'bg-success-subtle text-success',
  warning: 'bg-warning-subtle text-warning',
  neutral: 'bg-neutral-subtle text-neutral',
  danger: 'bg-danger-subtle text-danger',
  primary: 'bg-primary-subtle text-primary',
};

type BadgeProps = { tone: Tone; icon?: ReactNode; className?: string; children: ReactNode };

/** A short status label. The color only repeats the meaning of the text (WCAG 2.2, success criterion 1.4.1). */
export function Badge({ tone, icon, className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-caption leading-5 font-medium whitespace-nowrap tabular-nums',
        tones[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
