import { useQuery } from '@tanstack/react-query';

import { parseCsv } from '~/lib/csv';

// A browser lays out no more than this without stuttering; the whole is in the download.
const MAX_TEXT = 200_000;
const MAX_ROWS = 500;
const REST = 'O restante está no arquivo baixado.';

const frame = 'bg-sunken h-[min(75dvh,60rem)] overflow-auto';

/** A text as it is, or as the table that it holds. */
export function TextPreview({ file, isTable }: { file: Blob; isTable: boolean }) {
  const { data: text = '' } = useQuery({
    queryKey: ['text', file],
    queryFn: async () => decode(await file.arrayBuffer()),
    gcTime: 0,
  });
  if (isTable) return <Table text={text} />;
  return (
    <pre
      // Scrollable with the arrow keys.
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

function Table({ text }: { text: string }) {
  const [head = [], ...rows] = parseCsv(text.slice(0, MAX_TEXT));
  const isCut = rows.length > MAX_ROWS || text.length > MAX_TEXT;
  return (
    <div tabIndex={0} role="region" aria-label="Tabela do documento" className={frame}>
      <table className="bg-surface tabular min-w-full text-sm">
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th
                key={at}
                scope="col"
                className="border-hairline bg-sunken sticky top-0 border-b px-4 py-2.5 text-left font-semibold whitespace-nowrap"
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((cells, row) => (
            <tr key={row} className="border-hairline border-b">
              {cells.map((cell, at) => (
                <td
                  key={at}
                  className={`px-4 py-2 align-top ${isAmount(cell) ? 'text-right whitespace-nowrap' : ''}`}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && <p className="text-muted p-4 text-sm">… {REST}</p>}
    </div>
  );
}

/** Figures stand under each other. */
function isAmount(cell: string): boolean {
  return /^-?(?:R\$ ?)?-?\d[\d.]*(?:,\d+)?%?$/.test(cell.trim());
}

/** UTF-8, or what Brazilian banks and older spreadsheets still write. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
