import { beforeAll, describe, expect, test, vi } from 'vitest';

import type { DueAmount } from './api/payments-of-year';
import { sumPayments } from './sum-payments';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

const document = (amount: number, due: string, category: string | null = 'das', paid = false): DueAmount => ({
  id: `${amount} ${due}`,
  name: 'Guia',
  category,
  expires_at: due,
  amount_cents: amount,
  document_payments: paid ? [{ id: '1', paid_on: due.slice(0, 10) }] : [],
});

describe('sumPayments', () => {
  let sums: ReturnType<typeof sumPayments>;
  beforeAll(() => {
    sums = sumPayments([
      document(100, '2026-01-20T12:00:00Z'),
      document(250, '2026-01-25T12:00:00Z', 'fgts', true),
      document(40, '2026-12-20T12:00:00Z', null),
    ]);
  });

  test('adds amounts by month and category, the largest category first', () => {
    expect(sums.categories).toEqual(['FGTS', 'DAS', 'Sem categoria']);
    expect(sums.months[0]).toEqual({ total: 350, paid: 250, byCategory: [250, 100, 0] });
    expect(sums.months[11]).toEqual({ total: 40, paid: 0, byCategory: [0, 0, 40] });
  });

  test('adds the year and what was reported as paid', () => {
    expect([sums.total, sums.paid]).toEqual([390, 250]);
  });

  test('counts a due date in the month that it has in Brazil', () => {
    expect(sumPayments([document(7, '2026-02-01T02:59:59Z')]).months[0]?.total).toBe(7);
  });

  test('joins the smallest categories, so that the chart has at most six', () => {
    const many = Array.from({ length: 9 }, (_, at) =>
      document(100 - at, '2026-03-10T12:00:00Z', `tipo ${at}`),
    );
    const { categories, months } = sumPayments(many);
    expect(categories).toHaveLength(6);
    expect(categories.at(-1)).toBe('Outras');
    expect(months[2]?.byCategory.at(-1)).toBe(95 + 94 + 93 + 92);
  });
});
