import { PageHeader } from '~/components/page-header';
import { createClient } from '~/features/clients/api/clients';
import { paths } from '~/paths';

import { ClientForm } from './client-form';

export function Component() {
  return (
    <>
      <PageHeader title="Novo Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
      <ClientForm mode="new" save={createClient} />
    </>
  );
}
