// Page that creates a client.
import { PageHeader } from '~/components/page-header';
import { createClient } from '~/features/clients/api/client-mutations';
import { paths } from '~/paths';

import { ClientForm } from './client-form';
import { blankClient } from './client-schema';

export { ClientCreatePage as Component };

function ClientCreatePage() {
  return (
    <>
      <PageHeader title="Novo Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
      <ClientForm
        mode="new"
        initial={blankClient}
        version={null}
        save={async (client) => {
          await createClient(client);
          return null;
        }}
      />
    </>
  );
}
