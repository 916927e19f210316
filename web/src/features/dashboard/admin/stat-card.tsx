// Dashboard card with a count, linked to the page of the counted records.
import type { UseQueryResult } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import { formatInteger } from '~/lib/format';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import { IconButton } from '~/ui/icon-button';
import { Skeleton } from '~/ui/skeleton';

type StatCardProps = { label: string; icon: ReactNode; count: UseQueryResult<number>; to: string };

/** Shows the count, or a dash and a retry button if the query failed. */
export function StatCard({ label, icon, count, to }: StatCardProps) {
  const face = (
    <>
      <span className="text-muted-foreground flex items-center gap-2 text-sm">
        {icon}
        {label}
      </span>
      <span className="flex min-h-8 items-center gap-1 text-xl font-semibold tracking-tight tabular-nums">
        {count.isPending && <Skeleton className="h-6 w-10" />}
        {count.isSuccess && formatInteger(count.data)}
        {count.isError && '—'}
        {count.isError && (
          <IconButton
            label={`Contar de novo: ${label}`}
            icon={<RefreshCw size={18} aria-hidden />}
            onClick={() => void count.refetch()}
          />
        )}
      </span>
    </>
  );
  const look = 'flex h-full flex-col justify-between gap-x-3 px-4 py-2.5 sm:flex-row sm:items-center';
  if (count.isError) return <Card className={look}>{face}</Card>;
  return (
    <Link
      to={to}
      className={cn('rounded border border-border bg-card transition-colors hover:border-input', look)}
    >
      {face}
    </Link>
  );
}
