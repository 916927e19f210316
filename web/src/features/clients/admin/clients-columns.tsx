// Columns of the client table.
import type { ListColumn } from '~/components/list-table/list-column';
import { TextLink } from '~/components/text-link';
import type { ClientListItem, ClientSortKey } from '~/features/clients/api/clients';
import { formatDate } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { formatPhone } from '~/lib/phone';
import { formatTaxId } from '~/lib/tax-id';
import { paths } from '~/paths';
import { EmailText } from '~/ui/email-text';

export const clientsColumns: ListColumn<ClientListItem, ClientSortKey>[] = [
  {
    header: 'Nome',
    width: [17, 1.5],
    sort: 'search_name',
    card: 'title',
    wraps: true,
    text: ({ fullName }) => fullName ?? 'N/A',
    cell: ({ id, fullName }) => (
      <TextLink to={paths.adminClient(id)} className="font-medium">
        {fullName ?? 'N/A'}
      </TextLink>
    ),
  },
  {
    header: 'Email',
    width: [9.5, 1],
    sort: 'email',
    card: 'second',
    wraps: true,
    text: ({ email }) => email,
    cell: ({ email }) => <EmailText email={email} />,
  },
  {
    header: 'Último acesso',
    width: [8.75, 0],
    sort: 'last_sign_in_at',
    sortsDown: true,
    card: 'third',
    text: ({ last_sign_in_at }) =>
      last_sign_in_at === null ? 'Ainda não entrou' : formatDate(last_sign_in_at),
    cell: ({ last_sign_in_at }) =>
      last_sign_in_at === null ? (
        <span className="text-warning">Ainda não entrou</span>
      ) : (
        <Day moment={last_sign_in_at} />
      ),
  },
  {
    header: 'Pendências',
    width: [9.5, 0],
    card: 'third-end',
    text: openItems,
    cell: (client) =>
      openItems(client) === '' ? <span className="text-muted-foreground">Nenhuma</span> : openItems(client),
  },
  {
    header: 'Responsável',
    width: [9, 1],
    isOptional: true,
    text: ({ responsible }) => responsible ?? '',
    cell: ({ responsible }) => responsible ?? <span className="text-muted-foreground">Sem responsável</span>,
  },
  {
    header: 'CPF ou CNPJ',
    width: [11, 0],
    sort: 'user_metadata->>tax_id',
    card: 'second-end',
    text: ({ taxId }) => (taxId === null ? '' : formatTaxId(taxId)),
    cell: ({ taxId }) =>
      taxId === null ? (
        <span className="text-muted-foreground">N/A</span>
      ) : (
        <span className="tabular-nums">{formatTaxId(taxId)}</span>
      ),
  },
  {
    header: 'Cadastro',
    width: [7, 0],
    sort: 'created_at',
    sortsDown: true,
    text: ({ created_at }) => formatDate(created_at),
    cell: ({ created_at }) => <Day moment={created_at} />,
  },
  {
    header: 'Telefone',
    width: [9, 0],
    isOptional: true,
    text: ({ phone }) => (phone === null ? '' : formatPhone(phone)),
    cell: ({ phone }) =>
      phone === null ? (
        <span className="text-muted-foreground">N/A</span>
      ) : (
        <span className="tabular-nums">{formatPhone(phone)}</span>
      ),
  },
];

/** Numbers of the documents that wait for the client, and of the open tickets. */
function openItems({ unopened, openTickets }: ClientListItem): string {
  return [
    ...(unopened > 0 ? [pluralize(unopened, 'doc.', 'docs.')] : []),
    ...(openTickets > 0 ? [pluralize(openTickets, 'ticket', 'tickets')] : []),
  ].join(' · ');
}

function Day({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="tabular-nums">
      {formatDate(moment)}
    </time>
  );
}
