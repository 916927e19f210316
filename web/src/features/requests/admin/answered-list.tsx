// Answers of clients that the office did not check yet.
import { useInfiniteQuery } from '@tanstack/react-query';
import { ClipboardCheck } from 'lucide-react';
import { useCallback, useMemo } from 'react';

import { formatSort, type ListColumn, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import {
  type AnsweredSortKey,
  answeredItemsQuery,
  clientLabel,
  fetchAnsweredItems,
  itemLabel,
  type OfficeItem,
  OLDEST_ANSWER_FIRST,
} from '~/features/requests/api/admin-requests';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { formatDateTime, formatSpreadsheetTime } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';
import { SearchInput } from '~/ui/search-input';

import { AcceptAction } from './accept-action';

type AnsweredListProps = {
  /** Stable between renders. */
  onOpen: (item: OfficeItem) => void;
};

export function AnsweredList({ onOpen }: AnsweredListProps) {
  const { id: owner } = useUser();
  const { mayWrite } = useRights();
  const url = useUrlParams();
  const [params, setParam] = url;
  const { typed, search, setTyped } = useUrlSearch(SEARCH_PARAM, url);
  const columns = useMemo(() => answeredColumns(onOpen), [onOpen]);
  const sort = parseSort(params, columns, OLDEST_ANSWER_FIRST);
  const answered = useInfiniteQuery(answeredItemsQuery(search, sort));
  const isFiltered = typed.trim() !== '';
  const label = mayWrite ? 'Conferir' : 'Ver';
  const renderAction = useCallback(
    (item: OfficeItem) => (
      <Button
        variant="quiet"
        aria-label={`${label} ${itemLabel(item)}`}
        className="px-2! text-sm!"
        onClick={() => onOpen(item)}
      >
        {label}
      </Button>
    ),
    [label, onOpen],
  );
  return (
    <ListTable
      name="solicitacoes"
      owner={owner}
      caption="Respostas para conferir"
      query={answered}
      readPage={(page) => fetchAnsweredItems(typed.trim(), sort, page)}
      columns={columns}
      rowKey={rowKey}
      rowLabel={itemLabel}
      sort={sort}
      onSort={(next) => setParam(SORT_PARAM, formatSort(next, columns, OLDEST_ANSWER_FIRST))}
      search={
        <SearchInput
          value={typed}
          onChange={setTyped}
          placeholder="Buscar por item ou cliente..."
          maxLength={100}
        />
      }
      renderAction={renderAction}
      renderBulkActions={(selection) => mayWrite && <AcceptAction {...selection} />}
      empty={{
        icon: <ClipboardCheck size={26} />,
        title: isFiltered ? 'Nenhuma resposta encontrada' : 'Nada para conferir',
        hint: isFiltered ? 'Tente ajustar sua busca.' : 'As respostas dos clientes aparecem aqui.',
      }}
    />
  );
}

/** The query of the list at an address. */
export function answeredQueryOf(params: URLSearchParams) {
  const sort = parseSort(params, answeredColumns(ignore), OLDEST_ANSWER_FIRST);
  return answeredItemsQuery(params.get(SEARCH_PARAM) ?? '', sort);
}

const SEARCH_PARAM = 'busca';
const ignore = () => undefined;
const rowKey = ({ id }: OfficeItem) => id;
/** '11/2026' for '2026-11'. */
const monthNumber = (month: string) => month.split('-').toReversed().join('/');
const clientName = ({ client }: OfficeItem) => clientLabel(client);

function answeredColumns(onOpen: (item: OfficeItem) => void): ListColumn<OfficeItem, AnsweredSortKey>[] {
  return [
    {
      header: 'Item',
      width: [14, 2],
      sort: 'name',
      card: 'title',
      wraps: true,
      text: ({ name }) => name,
      cell: (item) => (
        <button
          type="button"
          className="text-primary text-left font-medium hover:underline after:pointer-coarse:absolute after:pointer-coarse:inset-0"
          onClick={() => onOpen(item)}
        >
          {/* A clamp around a button does not count its lines. */}
          <span className="line-clamp-2">{item.name}</span>
        </button>
      ),
    },
    {
      header: 'Cliente',
      width: [13, 2],
      sort: 'clients(search_name)',
      card: 'second',
      wraps: true,
      text: clientName,
      cell: clientName,
    },
    {
      header: 'Enviado',
      width: [11.25, 0],
      sort: 'answered_at',
      card: 'third',
      text: ({ answered_at }) => formatDateTime(answered_at),
      file: { text: ({ answered_at }) => formatSpreadsheetTime(answered_at) },
      cell: ({ answered_at }) => <span className="tabular-nums">{formatDateTime(answered_at)}</span>,
    },
    {
      header: 'Mês',
      width: [6, 0],
      sort: 'month',
      card: 'third-end',
      text: ({ month }) => monthNumber(month),
      cell: ({ month }) => <span className="tabular-nums">{monthNumber(month)}</span>,
    },
    {
      header: 'Arquivos',
      width: [6.5, 0],
      text: ({ received_files }) => pluralize(received_files.length, 'arquivo', 'arquivos'),
      cell: ({ received_files }) => pluralize(received_files.length, 'arquivo', 'arquivos'),
    },
  ];
}
