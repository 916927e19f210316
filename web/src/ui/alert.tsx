import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from './cn';

export type NoticeTone = 'info' | 'success' | 'danger';

const looks = {
  info: { box: 'bg-primary-tint text-ink', icon: <Info size={20} aria-hidden className="text-primary" /> },
  success: {
    box: 'bg-open-tint text-ink',
    icon: <CircleCheck size={20} aria-hidden className="text-open" />,
  },
  danger: {
    box: 'bg-danger-tint text-ink',
    icon: <CircleAlert size={20} aria-hidden className="text-danger" />,
  },
} satisfies Record<NoticeTone, unknown>;

/** A message that stays on the page, where it matters. A failure is announced at once. */
export function Notice({
  tone,
  className,
  children,
}: {
  tone: NoticeTone;
  className?: string;
  children: ReactNode;
}) {
  const look = looks[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cn('flex gap-3 rounded px-4 py-3 text-[15px]', look.box, className)}
    >
      <span className="mt-px shrink-0">{look.icon}</span>
      <div className="min-w-0">{children}</div>
    </div>
  );
}
