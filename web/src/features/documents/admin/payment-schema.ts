// Validation of the fields about the payment of a document, which two forms have.
import * as z from 'zod/mini';

import type { PaymentColumns } from '~/features/documents/api/payment-details';
import { parseAmount, parsePaymentLine, parsePix } from '~/lib/payment-codes';

export type PaymentValues = {
  category: string;
  /** `2026-10`, or blank. */
  referenceMonth: string;
  /** `1.234,56`, or blank. */
  amount: string;
  paymentLine: string;
  pixCode: string;
};

export const blankPayment: PaymentValues = {
  category: '',
  referenceMonth: '',
  amount: '',
  paymentLine: '',
  pixCode: '',
};

export const PAYMENT_FIELDS = [
  'category',
  'referenceMonth',
  'amount',
  'paymentLine',
  'pixCode',
] as const satisfies (keyof PaymentValues)[];

export const paymentShape = {
  category: z.string().check(
    z.trim(),
    z.refine(
      (text) => /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/.test(text),
      'Use só letras minúsculas sem acento, números e hífens.',
    ),
  ),
  referenceMonth: z
    .string()
    .check(z.refine((text) => /^(?:\d{4}-(?:0[1-9]|1[0-2]))?$/.test(text), 'Informe um mês, como 2026-10.')),
  amount: z
    .string()
    .check(
      z.refine((text) => isBlank(text) || parseAmount(text) !== null, 'Informe um valor, como 1.234,56.'),
    ),
  paymentLine: z
    .string()
    .check(
      z.refine(
        (text) => isBlank(text) || parsePaymentLine(text) !== null,
        'A linha digitável não confere. Confira os 47 ou 48 dígitos.',
      ),
    ),
  pixCode: z
    .string()
    .check(
      z.refine(
        (text) => isBlank(text) || parsePix(text) !== null,
        'O Pix não confere. Copie o código inteiro outra vez.',
      ),
    ),
};

/** The columns of a document with these values. */
export function toPaymentColumns(values: PaymentValues): PaymentColumns {
  return {
    category: values.category || null,
    reference_month: values.referenceMonth || null,
    amount_cents: parseAmount(values.amount),
    payment_line: values.paymentLine.trim() || null,
    pix_code: values.pixCode.trim() || null,
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
