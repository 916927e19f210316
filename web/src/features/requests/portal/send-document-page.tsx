// Page on which the client sends files without a request.
import { lazy, Suspense } from 'react';

import { PageHeader } from '~/components/page-header';
import { sentFilesQuery } from '~/features/requests/api/requests';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

// Loaded while the data are read, so the page shows before the code for uploads.
const loadForm = () => import('./send-document-form');
const SendDocumentForm = lazy(async () => ({ default: (await loadForm()).SendDocumentForm }));

export function loader() {
  void loadForm().catch(() => {});
  void queryClient.prefetchInfiniteQuery(sentFilesQuery());
  return null;
}

export { SendDocumentPage as Component };

function SendDocumentPage() {
  return (
    <>
      <PageHeader
        title="Enviar documento"
        description="Envie arquivos ao escritório a qualquer momento, mesmo sem um pedido."
        back={{ to: paths.requests(), label: 'Voltar para Solicitações' }}
      />
      <Suspense fallback={<SkeletonList rows={2} rowClassName="h-56" />}>
        <SendDocumentForm />
      </Suspense>
    </>
  );
}
