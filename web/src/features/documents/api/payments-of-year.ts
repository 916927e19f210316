// The documents with an amount that are due in a year.
import { queryOptions } from '@tanstack/react-query';

import { portalLoadErrorToast } from '~/lib/api/error-toasts';
import { db } from '~/lib/api/postgrest';
import { startOfDayUtc } from '~/lib/dates';

import { documentKeys } from './documents';
import type { ReportedPayment } from './payment-details';

export type DueAmount = {
  id: string;
  name: string;
  category: string | null;
  expires_at: string;
  amount_cents: number;
  document_payments: ReportedPayment[];
};

export type YearOfAmounts = { documents: DueAmount[]; total: number };

/** Maximum number of rows in a response. A client of a busy office has some hundred documents a year. */
export const MAX_DOCUMENTS = 1_000;

/** Released documents with an amount and a due date in a year, by due date, at most `MAX_DOCUMENTS`. */
export function paymentsOfYearQuery(year: number) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'payments', year],
    async queryFn({ signal }): Promise<YearOfAmounts> {
      const { data, count } = await db()
        .from('documents')
        .select('id,name,category,expires_at,amount_cents,document_payments(id,paid_on)', { count: 'exact' })
        .neq('status', 'pending')
        .not('amount_cents', 'is', null)
        .gte('expires_at', startOfDayUtc(`${year}-01-01`))
        .lt('expires_at', startOfDayUtc(`${year + 1}-01-01`))
        .order('expires_at')
        .order('id')
        .limit(MAX_DOCUMENTS)
        .abortSignal(signal)
        .overrideTypes<DueAmount[], { merge: false }>()
        .throwOnError();
      return { documents: data, total: count ?? data.length };
    },
    meta: { errorToast: portalLoadErrorToast },
  });
}
