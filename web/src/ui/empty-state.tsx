// Empty state.
import type { ReactNode } from 'react';

import { cn } from './cn';

type EmptyStateProps = {
  icon: ReactNode;
  title: string;
  hint?: string;
  action?: ReactNode;
  /** Whether the title is the heading of the page, for a page without other content. */
  heading?: boolean;
  className?: string;
};

/** A placeholder for missing data, with an optional action. */
export function EmptyState({ icon, title, hint, action, heading = false, className }: EmptyStateProps) {
  return (
    <div className={cn('flex flex-col items-center px-6 py-12 text-center', className)}>
      <div
        aria-hidden
        className="border-border bg-muted text-muted-foreground mb-4 flex size-16 items-center justify-center rounded-t-full rounded-b border"
      >
        {icon}
      </div>
      {heading ? <h1 className="text-lg">{title}</h1> : <p className="font-medium">{title}</p>}
      {hint && <p className="text-muted-foreground mt-1 text-sm">{hint}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
