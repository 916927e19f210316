// The backup status as one line of the dashboard. A problem moves it above the open work.
import { useQuery } from '@tanstack/react-query';
import { Archive, CircleAlert, CircleCheck } from 'lucide-react';

import { TextLink } from '~/components/text-link';
import { mayOpen, useRights } from '~/features/auth/rights';
import { backupStatusQuery } from '~/features/backups/api';
import { type BackupSummary, summarizeBackup } from '~/features/backups/backup-summary';
import { paths } from '~/paths';
import { cn } from '~/ui/cn';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

const icons = {
  ok: <CircleCheck size={20} aria-hidden className="text-success mt-px shrink-0" />,
  error: <CircleAlert size={20} aria-hidden className="text-danger mt-px shrink-0" />,
  idle: <Archive size={20} aria-hidden className="text-muted-foreground mt-px shrink-0" />,
};

export function BackupStatusCard() {
  const rights = useRights();
  const status = useQuery(backupStatusQuery());
  const summary = status.data && summarizeBackup(status.data, rights);
  return (
    <section
      className={cn(
        'border-border bg-card rounded border px-5 py-3',
        summary?.status === 'error' && 'order-first',
      )}
    >
      <h2 className="sr-only">Backup</h2>
      {status.isPending && <SkeletonList rows={1} rowClassName="h-6" />}
      {status.isError && <ErrorState className="py-4" onRetry={() => void status.refetch()} />}
      {summary && (
        <div className="flex flex-wrap items-center justify-between gap-x-4">
          <Summary {...summary} />
          {mayOpen(rights, paths.adminSystem()) && (
            <TextLink to={paths.adminSystem()} className="touch-target inline-flex items-center text-sm">
              Ver o sistema
            </TextLink>
          )}
        </div>
      )}
    </section>
  );
}

function Summary({ status, title, lines, facts }: BackupSummary) {
  return (
    <div className="flex min-w-0 items-start gap-3">
      {icons[status]}
      <p className="text-muted-foreground min-w-0 text-sm leading-5.5 wrap-anywhere tabular-nums">
        <span className="text-foreground font-medium">{title}</span>
        {lines.map((line) => (
          <span key={line} className={status === 'error' ? 'text-foreground' : undefined}>
            {' · '}
            {line}
          </span>
        ))}
        {facts.map((fact) => (
          <span key={fact}>
            {' · '}
            {fact}
          </span>
        ))}
      </p>
    </div>
  );
}
