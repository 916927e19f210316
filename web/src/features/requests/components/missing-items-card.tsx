// Card of the home page of the clients: the items that the office waits for.
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';

import { missingItemsQuery } from '~/features/requests/api/requests';
import { clientStatusLabels } from '~/features/requests/request-labels';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';

import { DueLabel } from './due-label';
import { StatusBadge } from './status-badge';

/** Shows nothing if the office waits for nothing. */
export function MissingItemsCard() {
  const { data } = useQuery(missingItemsQuery());
  if (!data || data.total === 0) return null;
  const more = data.total - data.items.length;
  return (
    <Panel title="O escritório precisa de você">
      <ul className="divide-border divide-y">
        {data.items.map(({ id, name, due_on, status }) => (
          <li key={id}>
            <Link
              to={paths.requests()}
              className="hover:bg-muted flex min-h-16 items-center gap-2 px-5 py-3 transition-colors"
            >
              <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
                <span className="min-w-0 grow basis-44">
                  <span className="block font-medium wrap-anywhere">{name}</span>
                  {due_on !== null && <DueLabel day={due_on} />}
                </span>
                <StatusBadge status={clientStatusLabels[status]} />
              </span>
              <ChevronRight size={18} aria-hidden className="text-muted-foreground shrink-0" />
            </Link>
          </li>
        ))}
        {more > 0 && (
          <li>
            <Link
              to={paths.requests()}
              className="text-primary hover:bg-muted flex min-h-12 items-center justify-center px-5 text-sm font-medium"
            >
              Ver mais {pluralize(more, 'item', 'itens')}
            </Link>
          </li>
        )}
      </ul>
    </Panel>
  );
}
