// Alert message.
import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from './cn';

export type AlertVariant = 'info' | 'success' | 'danger';

const variants = {
  info: {
    box: 'bg-primary-subtle text-foreground',
    icon: <Info size={20} aria-hidden className="text-primary" />,
  },
  success: {
    box: 'bg-success-subtle text-foreground',
    icon: <CircleCheck size={20} aria-hidden className="text-success" />,
  },
  danger: {
    box: 'bg-danger-subtle text-foreground',
    icon: <CircleAlert size={20} aria-hidden className="text-danger" />,
  },
} satisfies Record<AlertVariant, unknown>;

/** A persistent message within a page. Screen readers announce the `danger` variant immediately. */
export function Alert({
  variant,
  className,
  children,
}: {
  variant: AlertVariant;
  className?: string;
  children: ReactNode;
}) {
  const classes = variants[variant];
  return (
    <div
      role={variant === 'danger' ? 'alert' : 'status'}
      className={cn('group/alert flex gap-3 rounded px-4 py-3 text-body', classes.box, className)}
    >
      <span className="mt-px shrink-0 sm:group-has-data-alert-row/alert:mt-3">{classes.icon}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/** The text of an alert with its button at the right edge, or below the text on a phone. */
export function AlertRow({
  as: Tag = 'div',
  action,
  children,
}: {
  as?: 'div' | 'li';
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <Tag
      data-alert-row={action ? '' : undefined}
      className="flex flex-col items-start gap-x-6 gap-y-2 sm:flex-row sm:items-center sm:justify-between"
    >
      {children}
      {action}
    </Tag>
  );
}
