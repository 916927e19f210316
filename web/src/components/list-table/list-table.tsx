// The table of a list that staff work through: sorting, choice of columns, selection, export, and keys.
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import {
  type ComponentProps,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

import { QueryList } from '~/components/query-list';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useElementWidth } from '~/hooks/use-element-width';
import { iteratePages, type PageReader } from '~/lib/api/batches';
import { Button } from '~/ui/button';
import { Card } from '~/ui/card';
import { cn } from '~/ui/cn';
import type { EmptyState } from '~/ui/empty-state';
import { createMenuHandle, MenuPopup, MenuRoot } from '~/ui/menu';
import { Skeleton } from '~/ui/skeleton';

import { BulkBar, type Selection } from './bulk-bar';
import { CardSort } from './card-sort';
import { ExportButton } from './export-button';
import { columnId, type ListColumn, type ListSort } from './list-column';
import { ListHead } from './list-head';
import { GROUP_SIZE, groupClasses, ListRow, SelectBox, type SharedRowProps } from './list-row';
import { ListSettingsMenu } from './list-settings-menu';
import { ListToolbar } from './list-toolbar';
import { useLateGroups } from './use-late-groups';
import { useListKeys } from './use-list-keys';
import { useListAddress, useListModel } from './use-list-model';
import { useListSettings } from './use-list-settings';
import { PX_PER_REM, useShownColumns } from './use-shown-columns';

/** Widths in rem. */
const MENU_WIDTH = 3.25;
const ACTION_WIDTH = 5;
/** Width of the table below which the columns need the room of the link at the end of a row. */
const ACTION_FROM = 52;
const SKELETON_ROWS = 10;
/** Width in CSS pixels of the table that was shown last. The next one usually has the same. */
let lastWidth = 0;

export type ListTableProps<Row extends object, SortKey extends string> = {
  /** The name of the list's settings and of its files. */
  name: string;
  /** The id of the person whose settings apply. */
  owner: string;
  /** The accessible name of the table. */
  caption: string;
  query: UseInfiniteQueryResult<InfiniteData<Row[]>>;
  /** Reads rows for the export and for the selection of all rows. */
  readPage: PageReader<Row>;
  /** By importance: the last ones give way in a narrow window. Stable between renders. */
  columns: readonly ListColumn<Row, SortKey>[];
  /** Stable between renders, as is `rowLabel`. */
  rowKey: (row: Row) => string;
  /** The name of a row in the labels of its controls. */
  rowLabel: (row: Row) => string;
  sort: ListSort<SortKey>;
  onSort: (sort: ListSort<SortKey>) => void;
  search?: ReactNode;
  filters?: ReactNode;
  /** The label of a button that selects all rows at once, for lists whose work is on all of them. */
  selectAllLabel?: string | undefined;
  /** A control at the end of a row, in wide windows. The menu has it too. Stable between renders. */
  renderAction?: (row: Row) => ReactNode;
  /** The items of a row's menu. */
  renderMenu?: (row: Row) => ReactNode;
  /** Keys that act on the row with the focus. */
  rowKeys?: Readonly<Record<string, (row: Row) => void>>;
  /** The buttons of the bar for the selected rows, beside the export. */
  renderBulkActions?: (selection: Selection) => ReactNode;
  empty: ComponentProps<typeof EmptyState>;
};

export function ListTable<Row extends object, SortKey extends string>({
  name,
  owner,
  caption,
  query,
  readPage,
  columns,
  rowKey,
  rowLabel,
  sort,
  onSort,
  search,
  filters,
  selectAllLabel,
  renderAction,
  renderMenu,
  rowKeys,
  renderBulkActions,
  empty,
}: ListTableProps<Row, SortKey>) {
  const [settings, changeSettings] = useListSettings(name, owner);
  const [frame, width] = useElementWidth<HTMLDivElement>(lastWidth);
  useEffect(() => {
    lastWidth = width;
  }, [width]);
  const rows = useMemo(() => query.data?.pages.flat(), [query.data]);
  const [isHeld, hold] = useState(false);
  const table = useListModel({
    rows,
    isPlaceholder: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    isHeld,
    columns,
    rowKey,
    chosen: settings.columns,
    sort,
    onSort,
  });
  const [menu] = useState(() => createMenuHandle<Row>());

  const selected = table.state.rowSelection;
  const selectedIds = Object.keys(selected);
  const clear = () => table.resetRowSelection(true);
  // Another filter ends the reading: the rows would be selected out of sight. Before the next answer can arrive.
  const reading = useRef<{ address: string; controller: AbortController }>(null);
  const { address } = useListAddress();
  useLayoutEffect(() => {
    if (reading.current?.address !== address) reading.current?.controller.abort();
  }, [address]);
  const selectAll = useApiMutation({
    async mutationFn() {
      const controller = new AbortController();
      const { signal } = controller;
      reading.current = { address, controller };
      const ids: string[] = [];
      try {
        for await (const page of iteratePages(readPage, signal)) ids.push(...page.map(rowKey));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return signal.aborted ? null : ids;
    },
    errorToast: { title: 'Erro ao selecionar' },
    onSuccessIfMounted: (ids) =>
      ids && table.setRowSelection(Object.fromEntries(ids.map((id) => [id, true] as const))),
  });

  const hasMenu = renderMenu !== undefined;
  const action = width === 0 || width >= ACTION_FROM * PX_PER_REM ? renderAction : undefined;
  const actionsWidth = (hasMenu ? MENU_WIDTH : 0) + (action ? ACTION_WIDTH : 0);
  const { chosen, shown, isCard, template } = useShownColumns({
    columns,
    visibility: table.state.columnVisibility,
    chosenByPerson: settings.columns,
    width,
    actionsWidth,
  });

  const body = useRef<HTMLTableElement>(null);
  // Rows keep the same function, so that a selection renders only the row that it changes.
  const latest = useRef(table);
  useEffect(() => {
    latest.current = table;
  });
  const toggle = useCallback((id: string, event?: unknown) => {
    const row = latest.current.getRow(id);
    if (event === undefined) row.toggleSelected();
    else row.getToggleSelectedHandler()(event);
  }, []);
  useListKeys(
    body,
    toggle,
    Object.fromEntries(
      Object.entries(rowKeys ?? {}).map(([key, act]) => [
        key,
        (id: string) => act(table.getRow(id).original),
      ]),
    ),
  );
  const shared = useMemo(
    (): SharedRowProps<Row> => ({
      columns: shown,
      layout: { isCard, density: settings.density, template },
      rowLabel,
      onToggle: toggle,
      action,
      menu: hasMenu ? menu : undefined,
    }),
    [shown, isCard, settings.density, template, rowLabel, toggle, action, hasMenu, menu],
  );

  const { rows: modelRows } = table.getRowModel();
  const groups = useMemo(() => inGroups(modelRows), [modelRows]);
  const late = useLateGroups(name, body, groups);

  const areAllSelected = table.getIsAllRowsSelected();
  const readCount = rows?.length ?? 0;
  // Cards have no box for the read rows.
  const canSelectMore = areAllSelected ? query.hasNextPage && selectedIds.length === readCount : isCard;
  const exporting = { fileName: name, columns: chosen, readPage, rowKey };
  return (
    <div ref={frame}>
      <ListToolbar
        name={name}
        isCard={isCard}
        search={search}
        filters={filters}
        sorting={isCard && <CardSort columns={columns} sort={sort} onSort={onSort} />}
        selectAll={
          selectAllLabel !== undefined && (
            <Button
              variant="quiet"
              icon={<ListChecks size={20} aria-hidden />}
              pending={selectAll.isPending}
              onClick={() => selectAll.mutate()}
            >
              {selectAllLabel}
            </Button>
          )
        }
      >
        <ExportButton {...exporting} />
        {!isCard && (
          <ListSettingsMenu
            choices={columns
              .filter(({ card }) => card !== 'title')
              .map((column) => ({
                id: columnId(column),
                header: column.header,
                isShown: chosen.includes(column),
                fits: shown.includes(column),
              }))}
            settings={settings}
            onChange={changeSettings}
          />
        )}
      </ListToolbar>
      <QueryList query={query} rows={rows} loading={<ListSkeleton />} empty={empty} card>
        {() => (
          <Card aria-busy={query.isPlaceholderData}>
            <table ref={body} role="table" className="block">
              <caption className="sr-only">{caption}</caption>
              <ListHead
                columns={shown}
                template={template}
                isCard={isCard}
                hasActions={actionsWidth > 0}
                sort={sort}
                onSort={(column) => table.getColumn(columnId(column))?.toggleSorting()}
                selectAll={
                  <SelectBox
                    label="Selecionar todos os carregados"
                    checked={areAllSelected}
                    isPartial={table.getIsSomeRowsSelected()}
                    onChange={table.getToggleAllRowsSelectedHandler()}
                  />
                }
              />
              {groups.map((group, index) => (
                <tbody
                  key={group[0]?.id}
                  role="rowgroup"
                  className={cn(
                    groupClasses(shared.layout),
                    late.has(index) && '[content-visibility:hidden]',
                  )}
                >
                  {!late.has(index) &&
                    group.map(({ id, original }) => (
                      <ListRow
                        key={id}
                        id={id}
                        row={original}
                        isSelected={selected[id] === true}
                        shared={shared}
                      />
                    ))}
                </tbody>
              ))}
            </table>
          </Card>
        )}
      </QueryList>
      {renderMenu && (
        <MenuRoot handle={menu}>
          {({ payload }) => <MenuPopup>{payload !== undefined && renderMenu(payload)}</MenuPopup>}
        </MenuRoot>
      )}
      {selectedIds.length > 0 && (
        <BulkBar
          count={selectedIds.length}
          onClear={clear}
          isSelectingAll={selectAll.isPending}
          onSelectAll={canSelectMore ? () => selectAll.mutate() : undefined}
        >
          <ExportButton {...exporting} only={new Set(selectedIds)} variant="quiet" />
          {renderBulkActions?.({ ids: selectedIds, clear, hold })}
        </BulkBar>
      )}
    </div>
  );
}

function inGroups<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / GROUP_SIZE);
  return Array.from({ length: count }, (_, at) => items.slice(at * GROUP_SIZE, (at + 1) * GROUP_SIZE));
}

/** A placeholder in the shape of the table. */
function ListSkeleton() {
  return (
    <Card role="status">
      <span className="sr-only">Carregando…</span>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <div key={row} className="border-border flex h-12 items-center gap-6 border-b px-4 last:border-b-0">
          <Skeleton className="size-4.5" />
          <Skeleton className="h-4 flex-1" />
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="h-4 w-20" />
        </div>
      ))}
    </Card>
  );
}
