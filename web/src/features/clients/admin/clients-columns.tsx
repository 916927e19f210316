// Columns of the client table.
import { Pencil, Trash2 } from 'lucide-react';

import { ButtonLink } from '~/components/button-link';
import { TextLink } from '~/components/text-link';
import type { ClientListItem } from '~/features/clients/api/clients';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import type { Column } from '~/ui/data-table';
import { EmailText } from '~/ui/email-text';

export function clientsColumns(askToDelete: (client: ClientListItem) => void): Column<ClientListItem>[] {
  return [
    {
      header: 'Nome',
      primary: true,
      cell: ({ id, fullName, last_sign_in_at }) => (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TextLink to={paths.adminClient(id)} className="font-medium wrap-anywhere">
            {fullName ?? 'N/A'}
          </TextLink>
          {last_sign_in_at === null && <Badge tone="warning">Ainda não entrou</Badge>}
        </span>
      ),
    },
    {
      header: 'Email',
      className: '@4xl:max-w-96',
      cell: ({ email }) => (
        <span className="min-w-0 @4xl:block @4xl:truncate" title={email}>
          <EmailText email={email} />
        </span>
      ),
    },
    {
      header: 'Cadastro',
      className: 'tabular-nums',
      cell: ({ created_at }) => <time dateTime={created_at}>{formatDate(created_at)}</time>,
    },
    {
      header: 'Ações',
      actions: true,
      cell: (client) => (
        <span className="-mr-4 inline-flex">
          <ButtonLink
            to={paths.adminClientEdit(client.id)}
            variant="quiet"
            icon={<Pencil size={18} aria-hidden />}
            aria-label={`Editar ${client.fullName ?? client.email}`}
          >
            Editar
          </ButtonLink>
          <Button
            variant="quiet-danger"
            icon={<Trash2 size={18} aria-hidden />}
            aria-label={`Excluir ${client.fullName ?? client.email}`}
            onClick={() => askToDelete(client)}
          >
            Excluir
          </Button>
        </span>
      ),
    },
  ];
}
