// Cards with a count on the home page of the clients.
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import { formatInteger } from '~/lib/format';
import { Skeleton } from '~/ui/skeleton';

type StatCardFrameProps = {
  to: string;
  icon: ReactNode;
  label: string;
  more: string;
  className?: string;
  children: ReactNode;
};

export function StatCardFrame({ to, icon, label, more, className = '', children }: StatCardFrameProps) {
  return (
    <Link
      to={to}
      className={`group border-border bg-card hover:border-input flex flex-col rounded border p-4 transition-colors sm:p-5 ${className}`}
    >
      <span className="text-muted-foreground sm:text-body flex items-center gap-2 text-sm font-medium sm:gap-2.5">
        <span className="text-primary">{icon}</span>
        {label}
      </span>
      <span className="mt-3 flex min-h-12 items-center">{children}</span>
      <span className="text-primary mt-3 hidden items-center gap-1.5 text-sm font-medium sm:inline-flex">
        {more}
        <ArrowRight size={16} aria-hidden className="transition-transform group-hover:translate-x-0.5" />
      </span>
    </Link>
  );
}

type Count = { data: number | undefined; isError: boolean };

/** Card with a count, or a dash if the query failed. */
export function StatCard({ value, ...card }: Omit<StatCardFrameProps, 'children'> & { value: Count }) {
  return (
    <StatCardFrame {...card}>
      {value.data === undefined && !value.isError ? (
        <Skeleton className="h-10 w-16" />
      ) : (
        <span className="text-4xl font-semibold tracking-tight tabular-nums">
          {value.data === undefined ? '—' : formatInteger(value.data)}
        </span>
      )}
    </StatCardFrame>
  );
}
