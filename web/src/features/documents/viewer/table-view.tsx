// Table of a document.
import { REST, viewport } from './viewer-frame';

type TableViewProps = {
  rows: readonly (readonly string[])[];
  /** Whether the first row names the columns. */
  hasHead: boolean;
  /** Whether the file has further rows or columns. */
  isCut: boolean;
};

/** The cells of a table never change, so their places are their keys. */
export function TableView({ rows, hasHead, isCut }: TableViewProps) {
  const [head = [], ...rest] = rows;
  const body = hasHead ? rest : rows;
  return (
    <div tabIndex={0} role="region" aria-label="Tabela do documento" className={viewport}>
      <table className="bg-card min-w-full text-sm tabular-nums">
        {hasHead && (
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th
                  key={at}
                  scope="col"
                  className={`border-border bg-muted sticky top-0 border-b px-4 py-2.5 font-semibold whitespace-nowrap ${
                    isAmount(body[0]?.[at] ?? '') ? 'text-right' : 'text-left'
                  }`}
                >
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {body.map((cells, row) => (
            <tr key={row} className="border-border border-b">
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
      {isCut && <p className="text-muted-foreground p-4 text-sm">… {REST}</p>}
    </div>
  );
}

/** Whether a cell is a number. Numbers are right-aligned. */
function isAmount(cell: string): boolean {
  return /^-?(?:R\$\s?)?-?\d[\d.]*(?:,\d+)?%?$/.test(cell.trim());
}
