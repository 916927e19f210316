// Panel with the payment that the client reported and the tickets about the document.
import { TextLink } from '~/components/text-link';
import type { AdminDocument } from '~/features/documents/api/admin-document';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { formatDate, formatDateTime } from '~/lib/dates';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { DescriptionItem, DescriptionList } from '~/ui/description-list';

export function PaymentPanel({ document }: { document: AdminDocument }) {
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
