// Page that edits a client.
import { useQuery } from '@tanstack/react-query';
import { AtSign } from 'lucide-react';
import { useState } from 'react';
import { type LoaderFunctionArgs, Navigate, useParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { InvitationStatus } from '~/features/auth/components/invitation-status';
import { updateClient } from '~/features/clients/api/client-mutations';
import { clientKeys, clientQuery } from '~/features/clients/api/clients';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

import { ChangeEmailDialog } from './change-email-dialog';
import { ClientForm } from './client-form';
import { toClientValues } from './client-schema';

export function loader({ params: { clientId = '' } }: LoaderFunctionArgs) {
  void queryClient.prefetchQuery(clientQuery(clientId));
  return null;
}

export { ClientEditPage as Component };

function ClientEditPage() {
  const { clientId = '' } = useParams();
  const client = useQuery(clientQuery(clientId));
  const [changing, setChanging] = useState(false);
  // A toast shows the error.
  if (client.isLoadingError) return <Navigate to={paths.adminClients()} replace />;
  return (
    <>
      <PageHeader title="Editar Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
      {client.data ? (
        <ClientForm
          key={client.data.id}
          mode="edit"
          initial={toClientValues(client.data)}
          version={client.data}
          emailAction={
            <Button
              variant="secondary"
              icon={<AtSign size={18} aria-hidden />}
              className="self-start max-sm:w-full"
              onClick={() => setChanging(true)}
            >
              Alterar e-mail
            </Button>
          }
          save={(values, seen, edited) =>
            updateClient(
              {
                ...(edited.full_name && { full_name: values.full_name }),
                ...(edited.tax_id && { tax_id: values.tax_id }),
                ...(edited.phone && { phone: values.phone }),
                password: values.password,
                mustChangePassword: values.mustChangePassword,
              },
              { seen, mine: values, toValues: toClientValues },
            )
          }
        />
      ) : (
        <SkeletonList rows={3} className="max-w-3xl" rowClassName="h-28" />
      )}
      {client.data?.last_sign_in_at === null && (
        <Panel title="Convite" className="mt-6 max-w-3xl">
          <div className="p-5">
            <InvitationStatus person={client.data} affectedKeys={[clientKeys.all]} />
          </div>
        </Panel>
      )}
      {client.data && (
        <ChangeEmailDialog
          key={client.data.email}
          client={client.data}
          open={changing}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  );
}
