// Columns of the trash.
import type { ListColumn } from '~/components/list-table/list-column';
import type { DeletedDocument, TrashSortKey } from '~/features/documents/api/trash';
import { formatDate, formatDateTime, formatSpreadsheetTime } from '~/lib/dates';
import { formatSize } from '~/lib/format';
import { EmailText } from '~/ui/email-text';
import { FileIcon } from '~/ui/file-icon';

export const trashColumns: ListColumn<DeletedDocument, TrashSortKey>[] = [
  {
    header: 'Documento',
    width: [13, 2.5],
    sort: 'search_name',
    card: 'title',
    wraps: true,
    text: ({ name }) => name,
    cell: ({ name, file_url: path }) => (
      <>
        <FileIcon type="" path={path} size={18} className="mr-2.5 inline-block align-[-0.25em]" />
        {name}
      </>
    ),
  },
  {
    header: 'Cliente',
    width: [10, 1.5],
    sort: 'clients(search_name)',
    card: 'second',
    wraps: true,
    text: ({ client }) => client?.name ?? client?.email ?? 'N/A',
    cell: ({ client }) => client?.name ?? client?.email ?? <Muted>N/A</Muted>,
  },
  {
    header: 'Excluído em',
    width: [11, 0],
    sort: 'deleted_at',
    sortsDown: true,
    text: ({ deleted_at: at }) => formatDateTime(at),
    file: { text: ({ deleted_at: at }) => formatSpreadsheetTime(at) },
    cell: ({ deleted_at: at }) => (
      <time dateTime={at} className="tabular-nums">
        {formatDateTime(at)}
      </time>
    ),
  },
  {
    header: 'Excluído por',
    width: [9, 1],
    wraps: true,
    text: ({ deletedBy }) => deletedBy ?? 'N/A',
    cell: ({ deletedBy }) => (deletedBy === null ? <Muted>N/A</Muted> : <EmailText email={deletedBy} />),
  },
  {
    header: 'Sai da lixeira',
    width: [8, 0],
    card: 'third',
    isLabelled: true,
    text: ({ purge_at: at }) => formatDate(at),
    cell: ({ purge_at: at }) => (
      <time dateTime={at} className="tabular-nums">
        {formatDate(at)}
      </time>
    ),
  },
  {
    header: 'Pasta',
    width: [7, 0.75],
    text: ({ folder }) => folder ?? 'Excluída',
    cell: ({ folder }) => folder ?? <Muted>Excluída</Muted>,
  },
  {
    header: 'Tamanho',
    width: [6, 0],
    isOptional: true,
    text: ({ size }) => (size === null ? '' : formatSize(size)),
    cell: ({ size }) =>
      size === null ? <Muted>N/A</Muted> : <span className="tabular-nums">{formatSize(size)}</span>,
  },
];

function Muted({ children }: { children: string }) {
  return <span className="text-muted-foreground">{children}</span>;
}
