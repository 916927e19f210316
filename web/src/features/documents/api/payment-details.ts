// The values with which a client pays a document.
import type { Day } from '~/lib/dates';

/** A payment that the client reported. */
export type ReportedPayment = { id: string; paid_on: Day };

/** The values with which a client pays a document. The server stores only codes with correct check digits. */
export type PaymentDetails = {
  amount_cents: number | null;
  payment_line: string | null;
  pix_code: string | null;
  document_payments: ReportedPayment[];
  category: string | null;
};

/** The columns about the payment that staff fill in. */
export type PaymentColumns = {
  category: string | null;
  reference_month: string | null;
  amount_cents: number | null;
  payment_line: string | null;
  pix_code: string | null;
};

export const PAYMENT_COLUMNS = 'category,amount_cents,payment_line,pix_code,document_payments(id,paid_on)';

/** Whether a document is paid with this portal's help: it has an amount, a code or a reported payment. */
export function isPayable(details: PaymentDetails): boolean {
  const { amount_cents, payment_line, pix_code, document_payments: payments } = details;
  return amount_cents !== null || payment_line !== null || pix_code !== null || payments.length > 0;
}

/** Whether the client still has to pay a released document, and has a code to do so. */
export function isToPay(document: PaymentDetails & { status: string }): boolean {
  const { payment_line, pix_code, document_payments: payments, status } = document;
  return (payment_line !== null || pix_code !== null) && payments.length === 0 && status !== 'pending';
}
