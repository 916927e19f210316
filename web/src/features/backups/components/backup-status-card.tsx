// Dashboard card with the backup status.
import { useQuery } from '@tanstack/react-query';
import { Archive, CircleAlert, CircleCheck } from 'lucide-react';

import { backupStatusQuery } from '~/features/backups/api';
import { summarizeBackup } from '~/features/backups/backup-summary';
import type { BackupStatus } from '~/lib/api/database';
import { Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { SkeletonList } from '~/ui/skeleton';

const icons = {
  ok: <CircleCheck size={20} aria-hidden className="text-success mt-px shrink-0" />,
  error: <CircleAlert size={20} aria-hidden className="text-danger mt-px shrink-0" />,
  idle: <Archive size={20} aria-hidden className="text-muted-foreground mt-px shrink-0" />,
};

export function BackupStatusCard() {
  const status = useQuery(backupStatusQuery());
  return (
    <Panel title="Backup">
      <div className="px-5 py-4">
        {status.isPending && <SkeletonList rows={2} rowClassName="h-6" />}
        {status.isError && <ErrorState className="py-4" onRetry={() => void status.refetch()} />}
        {status.data && <Summary backup={status.data} />}
      </div>
    </Panel>
  );
}

function Summary({ backup }: { backup: BackupStatus }) {
  const { status, title, lines, facts } = summarizeBackup(backup);
  return (
    <div className="text-body flex items-start gap-3">
      {icons[status]}
      <div className="min-w-0 wrap-anywhere">
        <p className="font-medium">{title}</p>
        {lines.map((line) => (
          <p
            key={line}
            className={status === 'error' ? 'mt-1 text-sm' : 'text-muted-foreground mt-1 text-sm'}
          >
            {line}
          </p>
        ))}
        {facts.length > 0 && (
          <ul className="text-muted-foreground mt-1 flex flex-col gap-1 text-sm tabular-nums">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
