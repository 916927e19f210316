// Bar chart with stacked or adjacent bars. It is a picture: the page has a table with the same numbers.
import { scaleBand, scaleLinear } from 'd3-scale';

import { useElementWidth } from '~/hooks/use-element-width';

export type ChartColumn = {
  label: string;
  /** One value for each series. */
  values: readonly number[];
};

type BarChartProps = {
  /** The accessible name of the picture. */
  label: string;
  series: readonly string[];
  columns: readonly ChartColumn[];
  stacked: boolean;
  /** Formats a value. */
  format: (value: number) => string;
  /** Formats a value beside the axis, where space is short. */
  formatTick: (value: number) => string;
};

const CHART_HEIGHT = 260;
const MARGIN = { top: 8, right: 0, bottom: 26, left: 56 };
const TICKS = 4;
const MAX_BAR_WIDTH = 40;
const RADIUS = 3;
/** Space that a label below a column needs. */
const MIN_LABEL_WIDTH = 38;
/** The colors of the series, in their order. */
const FILLS = [
  'fill-chart-1',
  'fill-chart-2',
  'fill-chart-3',
  'fill-chart-4',
  'fill-chart-5',
  'fill-chart-6',
];
const SQUARES = ['bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6'];

export function BarChart({ label, series, columns, stacked, format, formatTick }: BarChartProps) {
  const [frame, width] = useElementWidth<HTMLDivElement>();
  const highest = Math.max(...columns.map(({ values }) => (stacked ? sum(values) : Math.max(...values))));
  const x = scaleBand(
    columns.map((_, at) => String(at)),
    [MARGIN.left, Math.max(width - MARGIN.right, MARGIN.left + 1)],
  ).padding(0.28);
  const y = scaleLinear([0, Math.max(highest, 1)], [CHART_HEIGHT - MARGIN.bottom, MARGIN.top]).nice(TICKS);
  const band = x.bandwidth();
  const barWidth = Math.min(stacked ? band : band / series.length, MAX_BAR_WIDTH);
  // On a phone, labels are left out that would touch each other.
  const labelStep = Math.ceil(MIN_LABEL_WIDTH / x.step());
  return (
    <figure>
      <div ref={frame} style={{ height: CHART_HEIGHT }}>
        <svg
          role="img"
          aria-label={label}
          width="100%"
          height={CHART_HEIGHT}
          className="text-muted-foreground block overflow-visible text-xs tabular-nums"
        >
          {y
            .ticks(TICKS)
            .filter(Number.isInteger)
            .map((tick) => (
              <g key={tick} transform={`translate(0 ${y(tick)})`}>
                <line x1={MARGIN.left} x2={width} className={tick === 0 ? 'stroke-input' : 'stroke-border'} />
                <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className="fill-current">
                  {formatTick(tick)}
                </text>
              </g>
            ))}
          {columns.map((column, at) => {
            const center = (x(String(at)) ?? 0) + band / 2;
            return (
              // The place in the chart is the identity of a column.
              <g key={at}>
                <title>{describe(column, series, format)}</title>
                {/* The whole column shows the title, also where it has no bar. */}
                <rect
                  x={center - x.step() / 2}
                  y={MARGIN.top}
                  width={x.step()}
                  height={CHART_HEIGHT - MARGIN.top - MARGIN.bottom}
                  className="hover:fill-muted fill-transparent"
                />
                {bars(column.values, stacked).map(({ from, to }, index) => {
                  const left = stacked
                    ? center - barWidth / 2
                    : center + (index - series.length / 2) * barWidth;
                  const height = y(from) - y(to);
                  return (
                    height > 0 && (
                      <rect
                        key={series[index]}
                        x={left + (stacked ? 0 : 1)}
                        y={y(to)}
                        width={Math.max(barWidth - (stacked ? 0 : 2), 1)}
                        // A hairline separates stacked bars.
                        height={Math.max(height - (stacked && from > 0 ? 1 : 0), 1)}
                        rx={Math.min(RADIUS, height)}
                        className={`pointer-events-none ${FILLS[index]}`}
                      />
                    )
                  );
                })}
                {at % labelStep === 0 && (
                  <text x={center} y={CHART_HEIGHT - 8} textAnchor="middle" className="fill-current">
                    {column.label}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      {series.length > 1 && (
        <figcaption className="mt-3">
          <ul className="flex flex-wrap gap-x-5 gap-y-1.5 text-sm">
            {series.map((name, index) => (
              <li key={name} className="flex items-center gap-2">
                <span aria-hidden className={`size-3 rounded-sm ${SQUARES[index]}`} />
                {name}
              </li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}

/** The lower and the upper value of each bar. */
function bars(values: readonly number[], stacked: boolean): { from: number; to: number }[] {
  let below = 0;
  return values.map((value) => {
    const from = stacked ? below : 0;
    below += value;
    return { from, to: from + value };
  });
}

function describe(
  { label, values }: ChartColumn,
  series: readonly string[],
  format: (value: number) => string,
) {
  const parts = values.flatMap((value, index) => (value > 0 ? [`${series[index]}: ${format(value)}`] : []));
  return [label, ...(parts.length > 0 ? parts : ['nada'])].join('\n');
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
