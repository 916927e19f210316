// Answers of clients that the office did not check yet.
import { useQuery } from '@tanstack/react-query';
import { ClipboardCheck } from 'lucide-react';

import { QueryTable } from '~/components/query-table';
import { useRights } from '~/features/auth/rights';
import { answeredItemsQuery, type OfficeItem } from '~/features/requests/api/admin-requests';
import { formatMonth } from '~/features/requests/request-labels';
import { formatDateTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import type { Column } from '~/ui/data-table';

import { ClientName } from './client-name';

export function AnsweredList({ onOpen }: { onOpen: (item: OfficeItem) => void }) {
  const { mayWrite } = useRights();
  const answered = useQuery(answeredItemsQuery());
  return (
    <QueryTable
      query={answered}
      rows={answered.data}
      caption="Respostas para conferir"
      columns={answeredColumns(onOpen, mayWrite ? 'Conferir' : 'Ver')}
      rowKey={({ id }) => id}
      empty={{
        icon: <ClipboardCheck size={26} />,
        title: 'Nada para conferir',
        hint: 'As respostas dos clientes aparecem aqui.',
      }}
    />
  );
}

function answeredColumns(onOpen: (item: OfficeItem) => void, action: string): Column<OfficeItem>[] {
  return [
    {
      header: 'Item',
      primary: true,
      className: '@4xl:max-w-80',
      cell: ({ name }) => <span className="line-clamp-2 font-medium">{name}</span>,
    },
    {
      header: 'Cliente',
      className: '@4xl:max-w-64',
      cell: ({ client }) => <ClientName client={client} />,
    },
    {
      header: 'Mês',
      cell: ({ month }) => <span className="@4xl:whitespace-nowrap">{formatMonth(month)}</span>,
    },
    {
      header: 'Enviado',
      className: 'tabular-nums',
      cell: ({ answered_at, received_files }) => (
        <span>
          {formatDateTime(answered_at)}
          <span className="text-muted-foreground block text-sm">
            {pluralize(received_files.length, 'arquivo', 'arquivos')}
          </span>
        </span>
      ),
    },
    {
      header: 'Ações',
      actions: true,
      cell: (item) => (
        <Button
          variant="secondary"
          aria-label={`${action} ${item.name} de ${item.client?.fullName ?? item.client?.email ?? 'N/A'}`}
          onClick={() => onOpen(item)}
        >
          {action}
        </Button>
      ),
    },
  ];
}
