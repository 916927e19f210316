// The grid clients × items of a month.
import { useQuery } from '@tanstack/react-query';
import { BellRing, CalendarRange, ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';

import { QueryList } from '~/components/query-list';
import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import { monthItemsQuery, type OfficeItem } from '~/features/requests/api/admin-requests';
import { StatusBadge } from '~/features/requests/components/status-badge';
import { addMonths, formatMonth, isMissing, officeStatusLabels } from '~/features/requests/request-labels';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { pluralize } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { FilterBar, ToggleChip } from '~/ui/filter-chip';
import { IconButton } from '~/ui/icon-button';
import { SearchInput } from '~/ui/search-input';
import { SkeletonList } from '~/ui/skeleton';

import { buildMonthGrid, filterRows } from './month-grid';
import { RemindItemsDialog } from './remind-items-dialog';

/** Names of the URL parameters: other than those of the list of answers on the same page. */
const CLIENT_PARAM = 'cliente';
const MISSING_PARAM = 'envio';
const MISSING_ONLY = 'falta';

type MonthPanelProps = {
  month: string;
  onMonthChange: (month: string) => void;
  onOpen: (item: OfficeItem) => void;
};

export function MonthPanel({ month, onMonthChange, onOpen }: MonthPanelProps) {
  const { mayWrite } = useRights();
  const [isReminding, setIsReminding] = useState(false);
  const items = useQuery(monthItemsQuery(month));
  const grid = items.data && buildMonthGrid(items.data);
  const done = items.data?.filter(({ status }) => status === 'accepted' || status === 'nothing').length;
  const url = useUrlParams();
  const [params, setParam] = url;
  const { typed, setTyped } = useUrlSearch(CLIENT_PARAM, url);
  const isMissingOnly = params.get(MISSING_PARAM) === MISSING_ONLY;
  const isFiltered = typed.trim() !== '' || isMissingOnly;
  const rows = grid && filterRows(grid.rows, { search: typed, missing: isMissingOnly });
  // Reminders follow the shown rows.
  const missing = rows?.flatMap(({ cells }) => [...cells.values()].filter(isMissing)) ?? [];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-2">
        <IconButton
          label="Mês anterior"
          icon={<ChevronLeft size={20} aria-hidden />}
          onClick={() => onMonthChange(addMonths(month, -1))}
        />
        <h2 aria-live="polite" className="min-w-44 text-center text-lg first-letter:uppercase">
          {formatMonth(month)}
        </h2>
        <IconButton
          label="Próximo mês"
          icon={<ChevronRight size={20} aria-hidden />}
          onClick={() => onMonthChange(addMonths(month, 1))}
        />
        <div className="flex flex-wrap items-center gap-x-5 max-sm:w-full sm:ml-auto">
          {items.data !== undefined && items.data.length > 0 && (
            <p className="text-muted-foreground tabular-nums">
              {`${done} de ${pluralize(items.data.length, 'item resolvido', 'itens resolvidos')}`}
            </p>
          )}
          {mayWrite && missing.length > 0 && (
            <Button
              variant="secondary"
              icon={<BellRing size={20} aria-hidden />}
              onClick={() => setIsReminding(true)}
              className="max-sm:mt-2 max-sm:w-full"
            >
              Lembrar quem não enviou
            </Button>
          )}
        </div>
        <RemindItemsDialog
          open={isReminding}
          ids={missing.map(({ id }) => id)}
          onClose={() => setIsReminding(false)}
        />
      </div>
      {grid !== undefined && grid.rows.length > 0 && (
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <SearchInput
            value={typed}
            onChange={setTyped}
            placeholder="Buscar cliente do mês..."
            className="w-full sm:max-w-sm"
          />
          <FilterBar>
            <ToggleChip
              pressed={isMissingOnly}
              onChange={(pressed) => setParam(MISSING_PARAM, pressed ? MISSING_ONLY : '')}
            >
              Só quem falta
            </ToggleChip>
          </FilterBar>
        </div>
      )}
      <QueryList
        query={items}
        rows={rows}
        loading={<SkeletonList rows={6} rowClassName="h-14" />}
        empty={
          isFiltered && grid !== undefined && grid.rows.length > 0
            ? { icon: <CalendarRange size={26} />, title: 'Nenhum cliente encontrado' }
            : {
                icon: <CalendarRange size={26} />,
                title: 'Nenhuma solicitação neste mês',
                hint: 'O que você pedir aos clientes aparece aqui.',
              }
        }
        card
      >
        {(shown) => (
          <Card>
            {/* The table scrolls sideways; the focus makes that possible with the keyboard. */}
            <div
              role="region"
              aria-label="Solicitações do mês"
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region needs the focus.
              tabIndex={0}
              className="relative overflow-x-auto"
            >
              <table className="text-body w-full border-collapse text-left">
                <caption className="sr-only">Solicitações de {formatMonth(month)}</caption>
                <thead>
                  <tr className="border-border text-caption text-muted-foreground border-b">
                    <th scope="col" className="bg-card sticky left-0 z-10 py-3 pr-2 pl-4 font-medium sm:px-5">
                      Cliente
                    </th>
                    {grid?.columns.map((name) => (
                      <th key={name} scope="col" className="max-w-48 min-w-32 px-3 py-3 font-medium">
                        <span className="line-clamp-2 wrap-anywhere" title={name}>
                          {name}
                        </span>
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {shown.map((row) => (
                    <tr key={row.id} className="border-border border-b last:border-b-0">
                      <th
                        scope="row"
                        className="bg-card sticky left-0 z-10 max-w-36 min-w-36 py-2 pr-2 pl-4 font-normal max-sm:text-sm sm:max-w-72 sm:min-w-64 sm:px-5"
                      >
                        <TextLink
                          to={paths.adminClient(row.id)}
                          title={row.name}
                          className="line-clamp-4 wrap-anywhere sm:line-clamp-2"
                        >
                          {row.name}
                        </TextLink>
                        {row.detail !== null && (
                          <span className="text-muted-foreground block text-sm wrap-anywhere tabular-nums">
                            {row.detail}
                          </span>
                        )}
                      </th>
                      {grid?.columns.map((name) => (
                        <td key={name} className="px-1 py-1">
                          <Cell
                            item={row.cells.get(name)}
                            client={[row.name, row.detail].filter(Boolean).join(', ')}
                            onOpen={onOpen}
                          />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </Card>
        )}
      </QueryList>
    </>
  );
}

type CellProps = { item: OfficeItem | undefined; client: string; onOpen: (item: OfficeItem) => void };

function Cell({ item, client, onOpen }: CellProps) {
  if (!item) {
    return (
      <span className="text-muted-foreground px-2">
        <span aria-hidden>—</span>
        <span className="sr-only">Não solicitado</span>
      </span>
    );
  }
  const { label } = officeStatusLabels[item.status];
  return (
    <button
      type="button"
      aria-label={`${item.name} de ${client}: ${label}`}
      onClick={() => onOpen(item)}
      className="touch-target hover:bg-muted inline-flex items-center rounded px-2"
    >
      <StatusBadge status={officeStatusLabels[item.status]} />
    </button>
  );
}
