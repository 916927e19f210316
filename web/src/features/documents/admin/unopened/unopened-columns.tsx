// Columns of the documents that wait to be opened.
import { DayDistance } from '~/components/day-distance';
import type { ListColumn } from '~/components/list-table/list-column';
import { TextLink } from '~/components/text-link';
import type { UnopenedDocument, UnopenedSortKey } from '~/features/documents/api/unopened';
import type { ContactKind } from '~/lib/api/database';
import { expiryOf, formatDate, formatDateTime, formatSpreadsheetTime } from '~/lib/dates';
import { paths } from '~/paths';
import { cn } from '~/ui/cn';

const contactLabels: Record<ContactKind, string> = {
  mail: 'Lembrado por e-mail',
  whatsapp: 'WhatsApp aberto',
  delivery: 'Entregue por outro meio',
};

export const unopenedColumns: ListColumn<UnopenedDocument, UnopenedSortKey>[] = [
  {
    header: 'Documento',
    width: [13.5, 2.5],
    sort: 'search_name',
    card: 'title',
    wraps: true,
    text: ({ name }) => name,
    cell: ({ id, name }) => (
      <TextLink to={paths.adminDocument(id)} className="font-medium">
        {name}
      </TextLink>
    ),
  },
  {
    header: 'Cliente',
    width: [11, 2],
    sort: 'clients(search_name)',
    card: 'second',
    wraps: true,
    text: clientName,
    cell: clientName,
  },
  {
    header: 'Vencimento',
    width: [12, 0],
    sort: 'expires_at',
    card: 'third',
    text: ({ expires_at }) => formatDate(expires_at),
    cell: ({ expires_at }) => <Due at={expires_at} />,
  },
  {
    header: 'Contato',
    width: [11, 1],
    card: 'fourth',
    wraps: true,
    text: (document) => contactText(document, formatDateTime),
    file: { text: (document) => contactText(document, formatSpreadsheetTime) },
    cell: ({ contact }) =>
      contact === null ? (
        <span className="text-muted-foreground">Nenhum</span>
      ) : (
        <>
          {/* The date takes the second line, if there is one. */}
          <span className={cn(contact.kind === 'mail' && 'whitespace-nowrap')}>
            {contactLabels[contact.kind]} ·
          </span>{' '}
          <span className="tabular-nums">{formatDate(contact.created_at)}</span>
        </>
      ),
  },
  {
    header: 'Pasta',
    width: [6.5, 0.5],
    sort: 'folders(name)',
    wraps: true,
    text: ({ folder }) => folder ?? '',
    cell: ({ folder }) => folder,
  },
  {
    header: 'Responsável',
    width: [8, 0.5],
    isOptional: true,
    text: ({ responsible }) => responsible ?? '',
    cell: ({ responsible }) => responsible ?? <span className="text-muted-foreground">Ninguém</span>,
  },
];

function clientName({ client }: UnopenedDocument): string {
  return client?.fullName ?? client?.email ?? 'N/A';
}

/** The newest contact with its author and its time, for which the cell has no room. */
function contactText({ contact }: UnopenedDocument, formatTime: (moment: string) => string): string {
  if (contact === null) return '';
  const { kind, author, created_at } = contact;
  return [contactLabels[kind], ...(author === null ? [] : [author]), formatTime(created_at)].join(' · ');
}

function Due({ at }: { at: string | null }) {
  const expiry = expiryOf(at);
  if (at === null) return <span className="text-muted-foreground">Sem vencimento</span>;
  const isNear = expiry === 'today' || expiry === 'soon';
  return (
    <DayDistance
      day={isNear ? at : null}
      className={cn(
        'tabular-nums',
        expiry === 'expired' && 'font-medium text-danger',
        isNear && 'font-medium text-warning',
      )}
    >
      {expiry === 'expired' && 'Vencido em '}
      <time dateTime={at}>{formatDate(at)}</time>
    </DayDistance>
  );
}
