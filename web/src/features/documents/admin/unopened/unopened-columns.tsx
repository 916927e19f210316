// Columns of the documents that wait to be opened.
import { TextLink } from '~/components/text-link';
import type { UnopenedDocument } from '~/features/documents/api/unopened';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import type { ContactKind } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import type { Column } from '~/ui/data-table';

import { WhatsAppButton } from '../whatsapp-button';

const contactLabels: Record<ContactKind, string> = {
  mail: 'Lembrado por e-mail',
  whatsapp: 'WhatsApp aberto',
  delivery: 'Entregue por outro meio',
};

/**
 * The columns without the controls of a selection and of messages. On cards the links reach 44 px by a padding over the
 * texts around them.
 */
export const readOnlyColumns: Column<UnopenedDocument>[] = [
  {
    header: 'Documento',
    primary: true,
    className: '@4xl:max-w-80 @4xl:min-w-52 @5xl:min-w-60',
    cell: (document) => <DocumentName document={document} />,
  },
  {
    header: 'Cliente',
    className: '@4xl:max-w-48',
    cell: ({ client }) =>
      client ? (
        <TextLink
          to={paths.adminClient(client.id)}
          title={client.fullName ?? client.email}
          className="block min-w-0 @max-4xl:-my-3 @max-4xl:py-3 @4xl:truncate"
        >
          {client.fullName ?? client.email}
        </TextLink>
      ) : (
        'N/A'
      ),
  },
  {
    header: 'Vencimento',
    className: '@5xl:min-w-46',
    cell: ({ expires_at }) =>
      expires_at === null ? 'Sem vencimento' : <ExpiryLabel expiresAt={expires_at} />,
  },
  {
    header: 'Responsável',
    className: '@4xl:min-w-26',
    cell: ({ responsible }) => (
      <span className={responsible === null ? 'text-muted-foreground' : 'min-w-0 wrap-anywhere'}>
        {responsible ?? 'Ninguém'}
      </span>
    ),
  },
  {
    header: 'Contato',
    className: 'tabular-nums',
    cell: ({ contact }) =>
      contact === null ? (
        <span className="text-muted-foreground">Nenhum</span>
      ) : (
        <span className="min-w-0 text-sm">
          {contactLabels[contact.kind]}
          <span className="text-muted-foreground block">
            {formatDateTime(contact.created_at)}
            {contact.author !== null && ` · ${contact.author}`}
          </span>
        </span>
      ),
  },
];

export function unopenedColumns(
  selected: ReadonlySet<string>,
  onToggle: (id: string) => void,
): Column<UnopenedDocument>[] {
  const [, ...others] = readOnlyColumns;
  return [
    {
      header: 'Documento',
      primary: true,
      className: '@4xl:max-w-80 @4xl:min-w-52 @5xl:min-w-60',
      cell: (document) => (
        <span className="flex items-start gap-1">
          <label className="touch-target -my-1.5 -ml-2 inline-flex shrink-0 items-center justify-center px-2">
            <input
              type="checkbox"
              aria-label={`Selecionar ${document.name} de ${document.client?.fullName ?? document.client?.email ?? 'N/A'}`}
              checked={selected.has(document.id)}
              onChange={() => onToggle(document.id)}
              className="accent-primary size-5"
            />
          </label>
          <DocumentName document={document} />
        </span>
      ),
    },
    ...others,
    {
      header: 'Ações',
      actions: true,
      cell: (document) => <WhatsAppButton document={document} named className="-mr-4" />,
    },
  ];
}

function DocumentName({ document: { id, name, folder } }: { document: UnopenedDocument }) {
  return (
    <span className="block min-w-0 py-1">
      <TextLink
        to={paths.adminDocument(id)}
        className="block font-medium @max-4xl:-my-2.5 @max-4xl:py-2.5"
        title={name}
      >
        <span className="line-clamp-2">{name}</span>
      </TextLink>
      {folder !== null && <span className="text-muted-foreground block text-sm font-normal">{folder}</span>}
    </span>
  );
}
