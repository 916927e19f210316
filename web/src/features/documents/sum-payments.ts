// Sums of a year of payments, by month and category.
import { toDay } from '~/lib/dates';

import type { DueAmount } from './api/payments-of-year';
import { CATEGORY_NAMES } from './category-names';

/** Amounts in cents. */
export type MonthOfPayments = { total: number; paid: number; byCategory: number[] };
export type YearOfPayments = {
  /** Names of the categories with the largest sums, and of the rest. */
  categories: string[];
  months: MonthOfPayments[];
  total: number;
  paid: number;
};

const MONTHS = 12;
/** Maximum number of categories in the chart: more colors are hard to distinguish. */
const MAX_CATEGORIES = 5;
const NO_CATEGORY = 'Sem categoria';
const REST = 'Outras';

export function sumPayments(documents: readonly DueAmount[]): YearOfPayments {
  const sums = new Map<string, number>();
  for (const document of documents) {
    const name = nameOf(document);
    sums.set(name, (sums.get(name) ?? 0) + document.amount_cents);
  }
  const names = [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  const hasRest = names.length > MAX_CATEGORIES + 1;
  const shown = hasRest ? names.slice(0, MAX_CATEGORIES) : names;
  const categories = hasRest ? [...shown, REST] : shown;
  const months = Array.from({ length: MONTHS }, () => ({
    total: 0,
    paid: 0,
    byCategory: categories.map(() => 0),
  }));
  for (const document of documents) {
    const month = months[Number(toDay(document.expires_at).slice(5, 7)) - 1];
    if (!month) continue;
    const index = shown.indexOf(nameOf(document));
    const category = index === -1 ? categories.length - 1 : index;
    month.total += document.amount_cents;
    if (document.document_payments.length > 0) month.paid += document.amount_cents;
    month.byCategory[category] = (month.byCategory[category] ?? 0) + document.amount_cents;
  }
  return {
    categories,
    months,
    total: months.reduce((sum, { total }) => sum + total, 0),
    paid: months.reduce((sum, { paid }) => sum + paid, 0),
  };
}

function nameOf({ category }: DueAmount): string {
  return category === null ? NO_CATEGORY : (CATEGORY_NAMES[category] ?? category);
}
