// Cards.
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn';

/** A container with border and background. */
export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={cn('rounded border border-border bg-card', className)} />;
}

type PanelProps = { title: string; action?: ReactNode; className?: string; children: ReactNode };

/** A card with a heading, as a section of a page. */
export function Panel({ title, action, className, children }: PanelProps) {
  return (
    <section className={cn('rounded border border-border bg-card', className)}>
      <header className="border-border flex min-h-14 items-center justify-between gap-3 border-b px-5 py-2">
        <h2 className="text-lg">{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}
