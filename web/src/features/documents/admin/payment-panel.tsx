// Panel with the payment that the client reported and the tickets about the document.
import { useState } from 'react';

import { TextLink } from '~/components/text-link';
import { useRights } from '~/features/auth/rights';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { documentKeys } from '~/features/documents/api/documents';
import type { ReportedPayment } from '~/features/documents/api/payment-details';
import { withdrawPayment } from '~/features/documents/api/payments';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { formatDate, formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ConfirmDialog } from '~/ui/confirm-dialog';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';

export function PaymentPanel({ document }: { document: AdminDocument }) {
  const { mayWrite } = useRights();
  const [payment] = document.document_payments;
  const { tickets } = document;
  if (!payment && tickets.length === 0) return null;
  return (
    <Panel title="Pagamento e tickets">
      <DescriptionList>
        {payment && (
          <DescriptionItem term="Pago, segundo o cliente">
            {formatDate(payment.paid_on)}
            <span className="text-muted-foreground block text-sm font-normal">
              Informado em {formatDateTime(payment.created_at)}
            </span>
            {mayWrite && <WithdrawPayment payment={payment} />}
          </DescriptionItem>
        )}
        {tickets.length > 0 && (
          <DescriptionItem term="Tickets sobre este documento">
            <ul className="mt-1 flex flex-col gap-2">
              {tickets.map(({ id, subject, status }) => (
                <li key={id} className="flex items-start justify-between gap-3">
                  <TextLink to={paths.adminTicket(id)} className="min-w-0 wrap-anywhere">
                    {subject}
                  </TextLink>
                  <TicketStatusBadge status={status} />
                </li>
              ))}
            </ul>
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}

/** Undoes a payment that was reported by mistake. The document is to be paid again. */
function WithdrawPayment({ payment }: { payment: ReportedPayment }) {
  const [asks, setAsks] = useState(false);
  const withdraw = useApiMutation({
    mutationFn: withdrawPayment,
    invalidates: [documentKeys.all],
    successToast: { title: 'Pagamento desfeito' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível desfazer. Tente novamente.' },
  });
  return (
    <>
      <Button variant="quiet" className="-ml-4" onClick={() => setAsks(true)}>
        Desfazer
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Desfazer o pagamento informado?"
        description="O documento volta a aparecer para o cliente como a pagar. O cliente pode informar de novo."
        confirm="Desfazer"
        danger
        pending={withdraw.isPending}
        onConfirm={() => withdraw.mutate(payment)}
      />
    </>
  );
}
