// Viewer for text files and CSV tables.
import { useQuery } from '@tanstack/react-query';

import { parseCsv } from '~/lib/csv';
import { decodeText } from '~/lib/decode-text';

import { TableView } from './table-view';
import { TextView } from './text-view';

// Maximum number of characters and rows on screen, which keeps the layout responsive. The download contains the whole
// file.
const MAX_TEXT = 200_000;
const MAX_ROWS = 500;

/** Shows a text, or a table if it parses as CSV. */
export function TextViewer({ path, file, isTable }: { path: string; file: Blob; isTable: boolean }) {
  const { data: text = '' } = useQuery({
    queryKey: ['text', path],
    queryFn: async () => decodeText(await file.arrayBuffer()),
    gcTime: 0,
  });
  const isCut = text.length > MAX_TEXT;
  const table = isTable ? readTable(text) : undefined;
  if (table) {
    return (
      <TableView hasHead rows={table.slice(0, MAX_ROWS + 1)} isCut={isCut || table.length > MAX_ROWS + 1} />
    );
  }
  return <TextView text={text.slice(0, MAX_TEXT)} isCut={isCut} />;
}

/** Complete rows of the visible part, undefined if it is not valid CSV. */
function readTable(text: string): string[][] | undefined {
  const shown = text.length > MAX_TEXT ? text.slice(0, text.lastIndexOf('\n', MAX_TEXT)) : text;
  try {
    return parseCsv(shown).map(({ cells }) => cells);
  } catch {
    return undefined;
  }
}
