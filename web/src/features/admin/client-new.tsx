import { createClient } from '~/data/clients';
import { paths } from '~/paths';
import { PageHeader } from '~/ui/page-header';

import { ClientForm } from './client-form';

export function Component() {
  return (
    <>
      <PageHeader title="Novo Cliente" back={{ to: paths.adminClients(), label: 'Clientes' }} />
      <ClientForm mode="new" save={createClient} />
    </>
  );
}
