// Card of the home page: the overdue documents.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { overdueQuery } from '~/features/dashboard/portal-api';
import { DayOffNote } from '~/features/documents/components/day-off-note';
import { isPaidInTime } from '~/lib/days-off';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';

import { DueDocumentLink } from './due-document-link';

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
            <DueDocumentLink document={document} />
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
