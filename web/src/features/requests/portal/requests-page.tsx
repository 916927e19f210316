// Request page of the clients: the items that the office asks for.
import { Upload } from 'lucide-react';
import { lazy, Suspense } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { currentItemsQuery, resolvedItemsQuery } from '~/features/requests/api/requests';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

// Loaded while the data are read, so the page shows before the code for uploads.
const loadRequestList = () => import('./request-list');
const RequestList = lazy(async () => ({ default: (await loadRequestList()).RequestList }));

export function loader() {
  void loadRequestList().catch(() => {});
  void queryClient.prefetchQuery(currentItemsQuery());
  void queryClient.prefetchInfiniteQuery(resolvedItemsQuery());
  return null;
}

export { RequestsPage as Component };

function RequestsPage() {
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
      <Suspense fallback={<SkeletonList rows={2} rowClassName="h-56" />}>
        <RequestList />
      </Suspense>
    </>
  );
}
