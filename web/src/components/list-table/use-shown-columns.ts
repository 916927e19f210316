// The columns that a list table shows in its window, and their widths.
import { useMemo } from 'react';

import { columnId, fitColumns, type ListColumn } from './list-column';

/** The size of text that the person chose in the browser. Environments without layout have none. */
export const PX_PER_REM = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Width in rem below which rows are cards. */
const CARD_BELOW = 36;
/** Width in rem of the boxes that select rows. */
const SELECT_WIDTH = 3;

type ShownColumnsOptions<Column> = {
  columns: readonly Column[];
  /** Whether a column is wanted, by id. */
  visibility: Readonly<Record<string, boolean>>;
  /** Columns that the person has shown or hidden, by id. */
  chosenByPerson: Readonly<Record<string, boolean>>;
  /** Width of the table in CSS pixels; 0 before it is measured. */
  width: number;
  /** Width of the actions at the end of a row in rem. */
  actionsWidth: number;
};

export function useShownColumns<Column extends Pick<ListColumn<never>, 'header' | 'width' | 'card'>>({
  columns,
  visibility,
  chosenByPerson,
  width,
  actionsWidth,
}: ShownColumnsOptions<Column>) {
  const isCard = width > 0 && width < CARD_BELOW * PX_PER_REM;
  const chosen = useMemo(
    () => columns.filter((column) => visibility[columnId(column)]),
    [columns, visibility],
  );
  const shown = useMemo(() => {
    if (isCard) return chosen.filter(({ card }) => card !== undefined);
    return fitColumns(chosen, width / PX_PER_REM - SELECT_WIDTH - actionsWidth, chosenByPerson);
  }, [chosen, actionsWidth, isCard, chosenByPerson, width]);
  const tracks = shown.map(({ width: [min, share] }) =>
    share === 0 ? `${min}rem` : `minmax(${min}rem, ${share}fr)`,
  );
  /** The tracks of the grid of a row. */
  const template = [
    `${SELECT_WIDTH}rem`,
    ...tracks,
    ...(actionsWidth > 0 ? [`${actionsWidth}rem`] : []),
  ].join(' ');
  return { chosen, shown, isCard, template };
}
