// Page with the people who act for the client.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { useUser } from '~/features/auth/session';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

// Loaded while the data are read.
const loadCard = () => import('~/features/members/components/people-card');
const PeopleCard = lazy(async () => ({ default: (await loadCard()).PeopleCard }));

export function loader() {
  void loadCard().catch(() => {});
  void queryClient.prefetchQuery(clientChoiceQuery());
  return null;
}

export { PeoplePage as Component };

function PeoplePage() {
  const { id: ownId } = useUser();
  const clients = useQuery(clientChoiceQuery());
  return (
    <>
      <PageHeader
        title="Pessoas"
        description="Quem vê os documentos, os tickets e as solicitações deste cliente, cada um com a própria senha."
      />
      <QueryContent query={clients} loading={<SkeletonList rows={2} rowClassName="h-16" />}>
        {(choices) => {
          const active = choices.find(({ is_active: isActive }) => isActive);
          return (
            active && (
              <div className="max-w-2xl">
                <Suspense fallback={<SkeletonList rows={2} rowClassName="h-16" />}>
                  <PeopleCard
                    clientId={active.id}
                    isStaff={false}
                    canManage={active.role === 'owner'}
                    ownId={ownId}
                    onLeft={() => location.assign(paths.home())}
                  />
                </Suspense>
              </div>
            )
          );
        }}
      </QueryContent>
    </>
  );
}
