// Ranges of due dates, which do not overlap.
export const dueRanges = ['overdue', 'today', 'week', 'later', 'none'] as const;
export type DueRange = (typeof dueRanges)[number];

export const dueLabels: Record<DueRange, string> = {
  overdue: 'Vencidos',
  today: 'Vencem hoje',
  week: 'Em 7 dias',
  later: 'Depois',
  none: 'Sem vencimento',
};

/** Values of the ranges in URLs, in Portuguese. */
export const DUE_VALUES: Record<DueRange, string> = {
  overdue: 'vencidos',
  today: 'hoje',
  week: '7-dias',
  later: 'depois',
  none: 'sem',
};

/** The range that a URL names, or null. */
export function parseDueRange(value: string | null): DueRange | null {
  return dueRanges.find((due) => DUE_VALUES[due] === value) ?? null;
}
