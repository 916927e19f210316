// Page that uploads a document.
import { useQuery } from '@tanstack/react-query';
import { Files } from 'lucide-react';
import { useSearchParams } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { clientQuery, searchClientsQuery } from '~/features/clients/api/clients';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SkeletonList } from '~/ui/skeleton';

import { UploadForm } from './upload-form';

export function loader() {
  void queryClient.prefetchQuery(searchClientsQuery(''));
  void queryClient.prefetchQuery(allFoldersQuery());
  return null;
}

export { UploadPage as Component };

function UploadPage() {
  const clientId = useSearchParams()[0].get('cliente') ?? '';
  const client = useQuery({ ...clientQuery(clientId), enabled: clientId !== '' });
  return (
    <>
      <PageHeader
        title="Enviar Novo Documento"
        back={{ to: paths.adminDocuments(), label: 'Documentos' }}
        secondary={
          <ButtonLink to={paths.adminInbox()} variant="secondary" icon={<Files size={20} aria-hidden />}>
            Vários de uma vez
          </ButtonLink>
        }
      />
      {clientId !== '' && client.isPending ? (
        <SkeletonList rows={3} className="max-w-3xl" rowClassName="h-28" />
      ) : (
        <UploadForm client={client.data ?? null} />
      )}
    </>
  );
}
