// Conditions of documents: that they wait to be opened by their clients, and that they are due in a range.
import type { DueRange } from '~/features/documents/due-ranges';
import { addDaysToDay, startOfDayUtc, today } from '~/lib/dates';

const DAYS_OF_WEEK_RANGE = 7;

/** Empty embeds by which rows without a receipt and without a delivery are found. */
export const WAITING = 'document_receipts(),delivered:document_contacts()';

/** A query whose conditions change it in place. */
export type Filterable = {
  eq: (column: string, value: string | boolean) => unknown;
  is: (column: string, value: null) => unknown;
  not: (column: string, operator: string, value: string | null) => unknown;
};

/**
 * Adds the conditions of documents that wait to be opened: active, without a receipt, and not delivered by other means.
 * The selection must contain `WAITING`. Conditions change the query in place. `embed` is the name of the documents that
 * are embedded in the rows of another table.
 */
export function whereUnopened<Query extends Filterable>(query: Query, embed?: string): Query {
  const path = embed === undefined ? '' : `${embed}.`;
  query.eq(`${path}status`, 'active');
  query.not(`${path}client_id`, 'is', null);
  query.eq(`${path}was_opened`, false);
  query.is(`${path}document_receipts`, null);
  query.eq(`${path}delivered.kind`, 'delivery');
  query.is(`${path}delivered`, null);
  return query;
}

export type DueFilterable = Filterable & {
  gt: (column: string, value: string) => unknown;
  gte: (column: string, value: string) => unknown;
  lt: (column: string, value: string) => unknown;
  lte: (column: string, value: string) => unknown;
};

/** Adds the condition of a range of due dates. */
export function whereDue(query: DueFilterable, due: DueRange): void {
  const now = new Date().toISOString();
  const tomorrow = startOfDayIn(1);
  const afterWeek = startOfDayIn(DAYS_OF_WEEK_RANGE + 1);
  switch (due) {
    case 'none':
      query.is('expires_at', null);
      break;
    case 'overdue':
      query.lte('expires_at', now);
      break;
    case 'today':
      query.gt('expires_at', now);
      query.lt('expires_at', tomorrow);
      break;
    case 'week':
      query.gte('expires_at', tomorrow);
      query.lt('expires_at', afterWeek);
      break;
    case 'later':
      query.gte('expires_at', afterWeek);
      break;
  }
}

/** Adds the condition of a due date in one of the ranges `today` and `week`. */
export function whereDueWithinWeek<Query extends DueFilterable>(query: Query): Query {
  query.gt('expires_at', new Date().toISOString());
  query.lt('expires_at', startOfDayIn(DAYS_OF_WEEK_RANGE + 1));
  return query;
}

function startOfDayIn(days: number): string {
  return startOfDayUtc(addDaysToDay(today(), days));
}
