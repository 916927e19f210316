// The items that the office asks for, and those that are done.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ClipboardList } from 'lucide-react';

import { QueryList } from '~/components/query-list';
import { QueryListCard } from '~/components/query-list-card';
import { currentItemsQuery, resolvedItemsQuery } from '~/features/requests/api/requests';
import { StatusBadge } from '~/features/requests/components/status-badge';
import { clientStatusLabels, formatMonth } from '~/features/requests/request-labels';
import { SkeletonList } from '~/ui/skeleton';

import { RequestItemCard } from './request-item-card';

export function RequestList() {
  const current = useQuery(currentItemsQuery());
  const resolved = useInfiniteQuery(resolvedItemsQuery());
  const hasResolved = (resolved.data?.pages[0]?.length ?? 0) > 0;
  return (
    <div className="flex flex-col gap-6">
      <QueryList
        query={current}
        rows={current.data}
        loading={<SkeletonList rows={2} rowClassName="h-56" />}
        empty={{
          icon: <ClipboardList size={26} />,
          title: 'Nada pendente',
          hint: 'Quando o escritório precisar de um documento, o pedido aparece aqui.',
        }}
        card
      >
        {(items) => (
          <ul aria-label="Solicitações atuais" className="flex flex-col gap-4">
            {items.map((item) => (
              <li key={item.id}>
                <RequestItemCard item={item} />
              </li>
            ))}
          </ul>
        )}
      </QueryList>
      {hasResolved && (
        <QueryListCard title="Já resolvidas" pages={resolved} empty="Nenhuma solicitação resolvida">
          {({ name, month, status }) => (
            <div className="flex items-center justify-between gap-4">
              <span className="min-w-0">
                <span className="block font-medium wrap-anywhere">{name}</span>
                <span className="text-muted-foreground text-sm">{formatMonth(month)}</span>
              </span>
              <StatusBadge status={clientStatusLabels[status]} />
            </div>
          )}
        </QueryListCard>
      )}
    </div>
  );
}
