// Columns of the document list.
import type { ListColumn } from '~/components/list-table/list-column';
import { TextLink } from '~/components/text-link';
import type {
  AdminDocumentListItem,
  DocumentSortKey,
  OpeningState,
} from '~/features/documents/api/admin-documents';
import { documentStatusLabel, folderKindLabels } from '~/features/documents/document-labels';
import { expiryOf, formatDate } from '~/lib/dates';
import { formatDecimal, formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { cn } from '~/ui/cn';
import { FileIcon } from '~/ui/file-icon';

const openingLabels: Record<OpeningState, string> = {
  opened: 'Aberto',
  unopened: 'Não aberto',
  delivered: 'Entregue',
  hidden: 'Sem acesso',
};

export const documentsColumns: ListColumn<AdminDocumentListItem, DocumentSortKey>[] = [
  {
    header: 'Documento',
    width: [13.75, 1.5],
    sort: 'search_name',
    card: 'title',
    wraps: true,
    text: ({ name }) => name,
    cell: ({ id, name, type, file_url: path, opening }) => (
      <>
        <FileIcon type={type} path={path} size={18} className="mr-2.5 inline-block align-[-0.25em]" />
        <TextLink
          to={paths.adminDocument(id)}
          className={opening === 'unopened' ? 'font-semibold' : 'font-normal'}
        >
          {name}
        </TextLink>
      </>
    ),
  },
  {
    header: 'Cliente',
    width: [10, 1],
    sort: 'clients(search_name)',
    card: 'second',
    wraps: true,
    text: ({ client }) => client?.name ?? client?.email ?? 'N/A',
    cell: ({ client }) => client?.name ?? client?.email ?? <None />,
  },
  {
    header: 'Vencimento',
    width: [7.5, 0],
    sort: 'expires_at',
    card: 'third',
    isLabelled: true,
    text: ({ expires_at }) => formatDate(expires_at),
    cell: ({ expires_at, payment }) => (
      <DueDay due={expires_at} isPaid={(payment?.paidOn ?? null) !== null} />
    ),
  },
  {
    header: 'Abertura',
    width: [7.25, 0],
    card: 'third-end',
    text: ({ opening }) => openingLabels[opening],
    cell: ({ opening }) => <Opening state={opening} />,
  },
  {
    header: 'Pasta',
    width: [6.5, 0.5],
    sort: 'folders(name)',
    wraps: true,
    text: ({ folder }) => folder ?? 'N/A',
    cell: ({ folder }) => folder ?? <None />,
  },
  {
    header: 'Enviado em',
    width: [7.5, 0],
    sort: 'uploaded_at',
    sortsDown: true,
    text: ({ uploaded_at }) => formatDate(uploaded_at),
    cell: ({ uploaded_at }) => <Day moment={uploaded_at} />,
  },
  {
    header: 'Pagamento',
    width: [8.25, 0],
    // It would take its width from the names of the documents.
    isOptional: true,
    text: paymentText,
    cell: (document) => (
      <span
        className={cn('tabular-nums', document.payment?.paidOn ? 'text-success' : 'text-muted-foreground')}
      >
        {paymentText(document)}
      </span>
    ),
  },
  {
    header: 'Situação',
    width: [6.5, 0],
    sort: 'status',
    isOptional: true,
    text: ({ status }) => documentStatusLabel(status),
    cell: ({ status }) => documentStatusLabel(status),
  },
  {
    header: 'Tipo',
    width: [6.5, 0],
    isOptional: true,
    text: ({ kind }) => (kind === null ? '' : folderKindLabels[kind]),
    cell: ({ kind }) => (kind === null ? <None /> : folderKindLabels[kind]),
  },
  {
    header: 'Valor',
    width: [7, 0],
    isOptional: true,
    text: ({ amount_cents }) => (amount_cents === null ? '' : formatMoney(amount_cents)),
    file: {
      header: 'Valor (R$)',
      text: ({ amount_cents }) => (amount_cents === null ? '' : formatDecimal(amount_cents)),
    },
    cell: ({ amount_cents }) =>
      amount_cents === null ? <None /> : <span className="tabular-nums">{formatMoney(amount_cents)}</span>,
  },
  {
    header: 'Responsável',
    width: [8, 0.5],
    isOptional: true,
    text: ({ responsible }) => responsible ?? '',
    cell: ({ responsible }) => responsible ?? <span className="text-muted-foreground">Ninguém</span>,
  },
];

function paymentText({ payment }: AdminDocumentListItem): string {
  if (payment === null) return '';
  return payment.paidOn === null ? 'A pagar' : `Pago em ${formatDate(payment.paidOn)}`;
}

function Opening({ state }: { state: OpeningState }) {
  if (state !== 'unopened') return <span className="text-muted-foreground">{openingLabels[state]}</span>;
  return (
    <span className="text-warning font-medium">
      <span aria-hidden className="mr-2 inline-block size-1.5 rounded-full bg-current align-middle" />
      {openingLabels[state]}
    </span>
  );
}

/** The due date: red once it has passed, amber shortly before, unless the client has paid. */
function DueDay({ due, isPaid }: { due: string | null; isPaid: boolean }) {
  const expiry = isPaid ? 'none' : expiryOf(due);
  return (
    <span
      className={cn(
        expiry === 'expired' && 'text-danger font-medium',
        (expiry === 'today' || expiry === 'soon') && 'text-warning font-medium',
      )}
    >
      <Day moment={due} />
    </span>
  );
}

function Day({ moment }: { moment: string | null }) {
  if (moment === null) return <None />;
  return (
    <time dateTime={moment} className="tabular-nums">
      {formatDate(moment)}
    </time>
  );
}

function None() {
  return <span className="text-muted-foreground">N/A</span>;
}
