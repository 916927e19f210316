// Cards with a count on the home page of the clients.
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import { formatInteger } from '~/lib/format';
import { Skeleton } from '~/ui/skeleton';

type StatCardFrameProps = {
  to: string;
  icon: ReactNode;
  label: string;
  className?: string;
  children: ReactNode;
};

export function StatCardFrame({ to, icon, label, className = '', children }: StatCardFrameProps) {
  return (
    <Link
      to={to}
      className={`border-border bg-card hover:border-input flex min-h-12 flex-wrap items-center justify-between gap-x-3 rounded border px-4 py-2 transition-colors ${className}`}
    >
      <span className="text-muted-foreground flex items-center gap-2 text-sm">
        <span className="text-primary">{icon}</span>
        {label}
      </span>
      {children}
    </Link>
  );
}

type Count = { data: number | undefined; isError: boolean; isPaused: boolean };

/** Card with a count, or a dash if the query failed or waits for the network. */
export function StatCard({ value, ...card }: Omit<StatCardFrameProps, 'children'> & { value: Count }) {
  return (
    <StatCardFrame {...card}>
      {value.data === undefined && !value.isError && !value.isPaused ? (
        <Skeleton className="h-6 w-8" />
      ) : (
        <span className="text-lg font-semibold tabular-nums">
          {value.data === undefined ? '—' : formatInteger(value.data)}
        </span>
      )}
    </StatCardFrame>
  );
}
