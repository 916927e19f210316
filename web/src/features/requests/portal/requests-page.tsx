// Request page of the clients: the items that the office asks for.
import { Upload } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { currentItemsQuery, resolvedItemsQuery } from '~/features/requests/api/requests';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

// Loaded while the data are read, so the page shows before the code for uploads.
const loadRequestList = () => import('./request-list');
const RequestList = lazy(async () => ({ default: (await loadRequestList()).RequestList }));

// A mail can be about another client of the person.
const OwnerSwitch = lazy(async () => ({
  default: (await import('~/features/members/components/owner-switch')).OwnerSwitch,
}));

export function loader() {
  void loadRequestList().catch(() => {});
  void queryClient.prefetchQuery(currentItemsQuery());
  void queryClient.prefetchInfiniteQuery(resolvedItemsQuery());
  return null;
}

export { RequestsPage as Component };

function RequestsPage() {
  const [params] = useSearchParams();
  const mailedItemId = params.get('pedido');
  return (
    <>
      <PageHeader
        title="Solicitações"
        description="O que o escritório precisa receber de você."
        action={
          <ButtonLink to={paths.sendDocument()} variant="secondary" icon={<Upload size={20} aria-hidden />}>
            Enviar documento
          </ButtonLink>
        }
      />
      {mailedItemId !== null && (
        <Suspense>
          <OwnerSwitch kind="request" id={mailedItemId} className="mb-6" />
        </Suspense>
      )}
      <Suspense fallback={<SkeletonList rows={2} rowClassName="h-56" />}>
        <RequestList />
      </Suspense>
    </>
  );
}
