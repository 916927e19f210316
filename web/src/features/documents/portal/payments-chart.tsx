// Chart of a year of payments, and a table with the same numbers.
import { BarChart } from '~/components/bar-chart';
import { ChartTable } from '~/components/chart-table';
import type { YearOfPayments } from '~/features/documents/sum-payments';
import { formatDecimal, formatInteger } from '~/lib/format';
import { formatAmount, formatMoney } from '~/lib/money';

const MONTHS = ['jan', 'fev', 'mar', 'abr', 'mai', 'jun', 'jul', 'ago', 'set', 'out', 'nov', 'dez'];

export function PaymentsChart({ year, sums }: { year: number; sums: YearOfPayments }) {
  const { categories, months } = sums;
  return (
    <div className="p-5">
      <BarChart
        label={`Valores por mês de ${year}. Os mesmos números estão na tabela abaixo.`}
        stacked
        series={categories}
        columns={months.map(({ byCategory }, at) => ({ label: MONTHS[at] ?? '', values: byCategory }))}
        format={formatMoney}
        formatTick={(cents) => formatTick(cents / 100)}
      />
      <ChartTable
        label="Valores por mês"
        head={['Mês', ...categories, 'Total', 'Pago']}
        rows={months.map(({ byCategory, total, paid }, at) => ({
          name: MONTHS[at] ?? '',
          cells: [...byCategory, total, paid].map(formatAmount),
        }))}
      />
    </div>
  );
}

/** `500`, or `2,5 mil` from a thousand. */
function formatTick(reais: number): string {
  return reais < 1_000 ? formatInteger(reais) : `${formatDecimal(reais / 1_000)} mil`;
}
