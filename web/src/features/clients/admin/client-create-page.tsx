// Page that creates a client.
import { PageHeader } from '~/components/page-header';
import { createClient } from '~/features/clients/api/client-mutations';
import { paths } from '~/paths';

import { ClientForm } from './client-form';

export { ClientCreatePage as Component };

function ClientCreatePage() {
  return (
    <>
      <PageHeader title="Novo Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
      <ClientForm mode="new" save={createClient} />
    </>
  );
}
