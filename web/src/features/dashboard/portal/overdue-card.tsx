// Card of the home page: the overdue documents.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { overdueQuery } from '~/features/dashboard/portal-api';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { isPaidInTime } from '~/lib/days-off';
import { pluralize } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';

/** Shows nothing if nothing is overdue. */
export function OverdueCard() {
  const { data } = useQuery(overdueQuery());
  if (!data || data.total === 0) return null;
  const more = data.total - data.documents.length;
  return (
    <Panel title="Vencidos">
      <ul className="divide-border divide-y">
        {data.documents.map((document) => (
          <li key={document.id}>
            <Link
              to={paths.document(document.id)}
              className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
            >
              <FileIcon type={document.type} path={document.file_url} />
              <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
                <span className="min-w-0 font-medium wrap-anywhere">{document.name}</span>
                <span className="flex shrink-0 flex-wrap items-baseline gap-x-3 sm:flex-col sm:items-end">
                  {document.amount_cents !== null && (
                    <span className="font-semibold tabular-nums">{formatMoney(document.amount_cents)}</span>
                  )}
                  <ExpiryLabel expiresAt={document.expires_at} />
                </span>
              </span>
            </Link>
            {isPaidInTime(document.expires_at, document.category) && (
              <DayOffNote
                expiresAt={document.expires_at}
                category={document.category}
                className="px-5 pb-4 font-medium sm:pl-15"
              />
            )}
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link
              to={paths.documents()}
              className="text-primary hover:bg-muted flex min-h-12 items-center justify-center px-5 text-sm font-medium"
            >
              e mais {pluralize(more, 'vencido', 'vencidos')}
            </Link>
          </li>
        )}
      </ul>
    </Panel>
  );
}
