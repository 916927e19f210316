// The numbers of a chart as a table, which a button shows.

type ChartTableProps = {
  /** The accessible name of the table. */
  label: string;
  /** Heads of the columns; the first one is that of the rows' names. */
  head: readonly string[];
  rows: readonly { name: string; cells: readonly string[] }[];
};

export function ChartTable({ label, head: [first, ...names], rows }: ChartTableProps) {
  return (
    <details className="border-border mt-5 border-t pt-1">
      <summary className="text-primary flex min-h-11 w-fit cursor-pointer items-center font-medium">
        Ver os números em uma tabela
      </summary>
      <div tabIndex={0} role="region" aria-label={label} className="overflow-x-auto">
        <table className="w-full text-sm tabular-nums">
          <thead>
            <tr className="text-muted-foreground">
              <th scope="col" className="py-2 pr-4 text-left font-medium">
                {first}
              </th>
              {names.map((name) => (
                <th key={name} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, cells }) => (
              <tr key={name} className="border-border border-t">
                <th scope="row" className="py-2 pr-4 text-left font-normal">
                  {name}
                </th>
                {cells.map((cell, column) => (
                  // The columns are those of the head.
                  <td key={column} className="px-3 py-2 text-right whitespace-nowrap">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
