// Viewer for text files and CSV tables.
import { useQuery } from '@tanstack/react-query';

import { type CsvRow, parseCsv } from '~/lib/csv';
import { decodeText } from '~/lib/decode-text';

// Maximum number of characters and rows on screen, which keeps the layout responsive. The download contains the whole
// file.
const MAX_TEXT = 200_000;
const MAX_ROWS = 500;
const REST = 'O restante está no arquivo baixado.';

const frame = 'bg-muted h-[min(75dvh,60rem)] overflow-auto';

/** Shows a text, or a table if it parses as CSV. */
export function TextViewer({ path, file, isTable }: { path: string; file: Blob; isTable: boolean }) {
  const { data: text = '' } = useQuery({
    queryKey: ['text', path],
    queryFn: async () => decodeText(await file.arrayBuffer()),
    gcTime: 0,
  });
  const table = isTable ? readTable(text) : undefined;
  if (table) return <Table rows={table} isCut={text.length > MAX_TEXT} />;
  return (
    <pre
      // Makes the container scrollable with the keyboard.
      tabIndex={0}
      role="region"
      aria-label="Texto do documento"
      className={`${frame} p-5 font-mono text-sm wrap-anywhere whitespace-pre-wrap`}
    >
      {text.slice(0, MAX_TEXT)}
      {text.length > MAX_TEXT && `\n\n… ${REST}`}
    </pre>
  );
}

/** Complete rows of the visible part, undefined if it is not valid CSV. */
function readTable(text: string): CsvRow[] | undefined {
  const shown = text.length > MAX_TEXT ? text.slice(0, text.lastIndexOf('\n', MAX_TEXT)) : text;
  try {
    return parseCsv(shown);
  } catch {
    return undefined;
  }
}

function Table({ rows: [head, ...rows], isCut }: { rows: CsvRow[]; isCut: boolean }) {
  return (
    <div tabIndex={0} role="region" aria-label="Tabela do documento" className={frame}>
      <table className="bg-card min-w-full text-sm tabular-nums">
        <thead>
          <tr>
            {head?.cells.map((cell, at) => (
              <th
                key={at}
                scope="col"
                className={`border-border bg-muted sticky top-0 border-b px-4 py-2.5 font-semibold whitespace-nowrap ${
                  isAmount(rows[0]?.cells[at] ?? '') ? 'text-right' : 'text-left'
                }`}
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ line, cells }) => (
            <tr key={line} className="border-border border-b">
              {cells.map((cell, at) => (
                <td
                  key={at}
                  className={`px-4 py-2 align-top ${isAmount(cell) ? 'text-right whitespace-nowrap' : cell.length > 20 ? 'min-w-44' : ''}`}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {(isCut || rows.length > MAX_ROWS) && <p className="text-muted-foreground p-4 text-sm">… {REST}</p>}
    </div>
  );
}

/** Whether a cell is a number. Numbers are right-aligned. */
function isAmount(cell: string): boolean {
  return /^-?(?:R\$ ?)?-?\d[\d.]*(?:,\d+)?%?$/.test(cell.trim());
}
