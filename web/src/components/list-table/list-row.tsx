// Row of a list table.
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';

import { cn } from '~/ui/cn';
import { type MenuHandle, MenuTrigger } from '~/ui/menu';

import type { CardPlace, ListColumn } from './list-column';
import type { Density } from './use-list-settings';

/** A row as the table's line, or as a card where the window is narrow. */
export type RowLayout = { isCard: boolean; density: Density; template: string };

/** Properties that all rows of a table share. */
export type SharedRowProps<Row> = {
  columns: readonly ListColumn<Row>[];
  layout: RowLayout;
  /** The name of a row in the labels of its controls. */
  rowLabel: (row: Row) => string;
  onToggle: (id: string, event: unknown) => void;
  action: ((row: Row) => ReactNode) | undefined;
  /** The menu of the rows, if they have one. */
  menu: MenuHandle<Row> | undefined;
};

type ListRowProps<Row> = { id: string; row: Row; isSelected: boolean; shared: SharedRowProps<Row> };

/**
 * Number of rows whose layout the browser skips together. Few groups cost less than many rows, but a group near the
 * viewport is laid out as a whole.
 */
export const GROUP_SIZE = 25;

const ROW_HEIGHT: Record<Density, string> = { comfortable: 'min-h-12', compact: 'min-h-9' };

/** Classes of a group of `GROUP_SIZE` rows, with its estimated height. */
export function groupClasses({ isCard, density }: RowLayout): string {
  if (isCard) return 'block content-auto-650';
  return density === 'compact' ? 'block content-auto-225' : 'block content-auto-300';
}

const CARD_CELL: Record<CardPlace, string> = {
  title: 'col-start-2 row-start-1 py-1 font-medium [&_a]:after:absolute [&_a]:after:inset-0',
  second: 'col-start-2 row-start-2 text-sm',
  'second-end': 'col-start-3 col-end-5 row-start-2 max-w-44 justify-self-end pr-3 text-sm',
  third: 'col-start-2 row-start-3 text-sm text-muted-foreground',
  'third-end':
    'col-start-3 col-end-5 row-start-3 max-w-44 justify-self-end pr-3 text-sm text-muted-foreground',
  fourth: 'col-start-2 col-end-5 row-start-4 pr-3 text-sm text-muted-foreground',
};

/** A line of a card with one cell. */
const WHOLE_LINE = 'col-end-5 pr-3';

function cellClasses<Row>(
  column: ListColumn<Row>,
  row: Row,
  { columns, layout, menu, action }: SharedRowProps<Row>,
): string {
  const { card } = column;
  if (!layout.isCard || !card) {
    const isTitle = card === 'title';
    // A finger opens the row anywhere: the link's own line is too low.
    return cn(
      'px-3 py-1 text-sm',
      isTitle && 'pointer-coarse:[&_a]:after:absolute pointer-coarse:[&_a]:after:inset-0',
    );
  }
  // The other cell of the line takes the place of an empty one.
  if ((card === 'fourth' || card.endsWith('-end')) && column.text(row) === '') return 'hidden';
  const isWhole =
    (card === 'second' || card === 'third') &&
    !columns.some((other) => other.card === `${card}-end` && other.text(row) !== '');
  // The menu is at the end of the first line.
  if (card === 'title') return cn(CARD_CELL.title, menu || action ? 'col-end-4' : WHOLE_LINE);
  return cn(CARD_CELL[card], isWhole && WHOLE_LINE);
}

/** A compact row has room for one line. On a card only the title has room for two. */
function wraps<Row>(column: ListColumn<Row>, { isCard, density }: RowLayout): boolean {
  if (!column.wraps) return false;
  return isCard ? column.card === 'title' : density === 'comfortable';
}

/** A row renders again only when something of its own changes, so that long lists stay fast. */
export function ListRow<Row>({ id, row, isSelected, shared }: ListRowProps<Row>) {
  const { layout, rowLabel, onToggle } = shared;
  const { isCard, density, template } = layout;
  const cells = useMemo(() => <Cells row={row} shared={shared} />, [row, shared]);
  return useMemo(
    () => (
      <tr
        role="row"
        data-row={id}
        style={isCard ? undefined : { gridTemplateColumns: template }}
        className={cn(
          'border-border relative grid items-center border-b transition-colors in-[tbody:last-child]:last:border-b-0 has-focus-visible:bg-muted',
          isSelected ? 'bg-primary-subtle' : 'hover:bg-muted/60',
          isCard ? 'grid-cols-[auto_minmax(0,1fr)_auto_auto] gap-x-3 py-1.5 pr-1' : ROW_HEIGHT[density],
        )}
      >
        <td role="cell" className={cn('z-1', isCard && 'col-start-1 row-start-1')}>
          <SelectBox
            label={`Selecionar ${rowLabel(row)}`}
            checked={isSelected}
            onChange={(event) => onToggle(id, event)}
          />
        </td>
        {cells}
      </tr>
    ),
    [id, row, isSelected, isCard, density, template, rowLabel, onToggle, cells],
  );
}

type CellsProps<Row> = { row: Row; shared: SharedRowProps<Row> };

/** The cells of the columns and of the actions. */
function Cells<Row>({ row, shared }: CellsProps<Row>) {
  const { columns, layout, rowLabel, action, menu } = shared;
  const { isCard } = layout;
  return (
    <>
      {columns.map((column) => (
        <td
          key={column.header}
          role="cell"
          title={column.text(row) || undefined}
          className={cn(
            'min-w-0 truncate',
            // Addresses break even where a cell has one line.
            !wraps(column, layout) && '[&_wbr]:hidden',
            cellClasses(column, row, shared),
          )}
        >
          {isCard && column.isLabelled && (
            <span aria-hidden className="text-muted-foreground">
              {column.header}:{' '}
            </span>
          )}
          {wraps(column, layout) ? (
            <span className="line-clamp-2 wrap-anywhere whitespace-normal">{column.cell(row)}</span>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {(menu || action) && (
        <td
          role="cell"
          className={cn('z-1 flex items-center justify-end pr-1', isCard && 'col-start-4 row-start-1')}
        >
          {!isCard && action?.(row)}
          {menu && (
            <MenuTrigger
              handle={menu}
              payload={row}
              aria-label={`Ações de ${rowLabel(row)}`}
              title="Ações"
              className="text-muted-foreground hover:bg-muted hover:text-foreground data-popup-open:bg-muted inline-flex h-8 w-11 items-center justify-center rounded pointer-coarse:h-11"
            >
              <Ellipsis size={20} aria-hidden />
            </MenuTrigger>
          )}
        </td>
      )}
    </>
  );
}

type SelectBoxProps = {
  label: string;
  checked: boolean;
  isPartial?: boolean;
  onChange: (event: unknown) => void;
};

export function SelectBox({ label, checked, isPartial = false, onChange }: SelectBoxProps): ReactNode {
  return (
    <label className="flex h-8 w-12 items-center justify-center pointer-coarse:h-11">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        ref={(box) => {
          if (box) box.indeterminate = isPartial;
        }}
        onChange={onChange}
        className="accent-primary size-4.5"
      />
    </label>
  );
}
