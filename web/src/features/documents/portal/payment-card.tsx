// Card with which a client pays a document: amount, due date, codes to copy, and the report of the payment.
import { CalendarClock, CircleCheck } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { documentKeys, type DocumentDetail } from '~/features/documents/api/documents';
import type { ReportedPayment } from '~/features/documents/api/payment-details';
import { withdrawPayment } from '~/features/documents/api/payments';
import { PaymentAmount, PaymentCaution, PaymentCodes } from '~/features/documents/components/payment-codes';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { expiryOf, formatDate } from '~/lib/dates';
import { isPaidInTime } from '~/lib/days-off';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';

const ReportPaymentDialog = lazy(async () => ({
  default: (await import('./report-payment-dialog')).ReportPaymentDialog,
}));

export function PaymentCard({ document }: { document: DocumentDetail }) {
  useCurrentMinute();
  // The dialog stays mounted after its first opening, for its exit animation.
  const [dialog, setDialog] = useState({ asked: false, open: false });
  const [payment] = document.document_payments;
  const { expires_at, category } = document;
  const isExpired = expiryOf(expires_at) === 'expired' && !isPaidInTime(expires_at, category);
  return (
    <Panel title="Pagamento" className="print:[&_:is(a,button)]:hidden">
      <div className="flex flex-col gap-4 p-5">
        <PaymentAmount document={payment ? { ...document, expires_at: null } : document} />
        {payment ? (
          <Paid payment={payment} />
        ) : (
          <>
            <PaymentCodes document={document} variant={isExpired ? 'secondary' : 'primary'} />
            <div className="flex flex-col gap-2">
              {isExpired && (
                <ButtonLink
                  to={paths.ticketNewAbout(document.id)}
                  icon={<CalendarClock size={20} aria-hidden />}
                >
                  Pedir guia atualizada
                </ButtonLink>
              )}
              <Button
                variant="secondary"
                icon={<CircleCheck size={20} aria-hidden />}
                onClick={() => setDialog({ asked: true, open: true })}
              >
                Já paguei
              </Button>
            </div>
          </>
        )}
        {!payment && <PaymentCaution />}
      </div>
      {dialog.asked && (
        <Suspense>
          {/* After a report that was undone it starts anew, also with a ticket of its own. */}
          <ReportPaymentDialog
            key={String(payment === undefined)}
            document={document}
            open={dialog.open}
            onClose={() => setDialog({ asked: true, open: false })}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function Paid({ payment }: { payment: ReportedPayment }) {
  const undo = useApiMutation({
    mutationFn: withdrawPayment,
    invalidates: [documentKeys.all],
    successToast: { title: 'Pagamento desfeito' },
    errorToast: { title: 'Erro', fallback: 'Não foi possível desfazer. Tente novamente.' },
  });
  return (
    <div
      role="status"
      className="bg-success-subtle flex flex-wrap items-center justify-end rounded py-1 pr-1 pl-4"
    >
      <p className="flex flex-1 basis-52 gap-3 py-2">
        <CircleCheck size={20} aria-hidden className="text-success mt-0.5 shrink-0" />
        <span>
          Você informou o pagamento em <span className="tabular-nums">{formatDate(payment.paid_on)}</span>.
        </span>
      </p>
      <Button variant="quiet" pending={undo.isPending} onClick={() => undo.mutate(payment)}>
        Desfazer
      </Button>
    </div>
  );
}
