import { sendReply, uploadAttachment } from '~/features/tickets/api/ticket-thread';
// Requests about the payment of a document by its client.
import { createTicket } from '~/features/tickets/api/tickets';
import { db } from '~/lib/api/postgrest';
import { type Day, formatDate } from '~/lib/dates';

import type { ReportedPayment } from './payment-details';

/** Reports a payment. A repeated report has no effect. */
export async function reportPayment({
  documentId,
  paidOn,
}: {
  documentId: string;
  paidOn: Day;
}): Promise<void> {
  await db().from('document_payments').insert({ document_id: documentId, paid_on: paidOn }).throwOnError();
}

export async function withdrawPayment({ id }: ReportedPayment): Promise<void> {
  await db().from('document_payments').delete().eq('id', id).throwOnError();
}

export type PaymentReceipt = {
  document: { id: string; name: string };
  paidOn: Day;
  file: File;
  /** Makes a repeated request create one ticket and one message. */
  keys: { ticket: string; message: string };
};

/** Sends the receipt of a payment. Clients attach files only to tickets, so it opens one about the document. */
export async function sendPaymentReceipt(receipt: PaymentReceipt): Promise<void> {
  const { document, paidOn, file, keys } = receipt;
  const ticket = await createTicket({
    id: keys.ticket,
    idempotencyKey: keys.ticket,
    values: {
      subject: `Comprovante: ${document.name}`.slice(0, 200),
      category: 'billing',
      priority: 'low',
      message: `Segue o comprovante do pagamento de “${document.name}”, feito em ${formatDate(paidOn)}.`,
      follow_up_of_id: null,
      document_id: document.id,
    },
  });
  const attachment = await uploadAttachment({
    sender: null,
    ticketId: ticket.id,
    file,
    onProgress() {},
    signal: new AbortController().signal,
  });
  if (!attachment) return;
  await sendReply({
    ticketId: ticket.id,
    idempotencyKey: keys.message,
    body: 'Comprovante em anexo.',
    files: [attachment],
    internal: false,
  });
}
