// Card with which a client pays a document: amount, due date, codes to copy, and the report of the payment.
import { CalendarClock, CircleCheck, QrCode as QrCodeIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { documentKeys, type DocumentDetail } from '~/features/documents/api/documents';
import type { ReportedPayment } from '~/features/documents/api/payment-details';
import { withdrawPayment } from '~/features/documents/api/payments';
import { CopyCodes } from '~/features/documents/components/copy-codes';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { expiryOf, formatDate } from '~/lib/dates';
import { formatMoney } from '~/lib/money';
import { formatPaymentLine, parsePaymentLine, parsePix, type PixCode } from '~/lib/payment-codes';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { Skeleton } from '~/ui/skeleton';

// Loaded on demand, because most payments are made on the device that shows the page.
const QrCode = lazy(async () => ({
  default: (await import('~/features/documents/components/qr-code')).QrCode,
}));
const ReportPaymentDialog = lazy(async () => ({
  default: (await import('./report-payment-dialog')).ReportPaymentDialog,
}));

export function PaymentCard({ document }: { document: DocumentDetail }) {
  useCurrentMinute();
  // The dialog stays mounted after its first opening, for its exit animation.
  const [dialog, setDialog] = useState({ asked: false, open: false });
  const [payment] = document.document_payments;
  const isExpired = expiryOf(document.expires_at) === 'expired';
  const line = parsePaymentLine(document.payment_line ?? '');
  const pix = parsePix(document.pix_code ?? '');
  return (
    <Panel title="Pagamento" className="print:hidden">
      <div className="flex flex-col gap-4 p-5">
        <div>
          {document.amount_cents !== null && (
            <p className="text-3xl font-semibold tracking-tight tabular-nums">
              {formatMoney(document.amount_cents)}
            </p>
          )}
          <ExpiryLabel expiresAt={document.expires_at} large className="mt-1 block" />
        </div>
        {payment ? (
          <Paid payment={payment} />
        ) : (
          <>
            {(line || pix) && (
              <div className="flex flex-col gap-2">
                <CopyCodes document={document} variant={isExpired ? 'secondary' : 'primary'} />
                {pix && <PixQrCode pix={pix} />}
              </div>
            )}
            {line && <LineText digits={line.digits} />}
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
        {!payment && (
          <p className="text-muted-foreground text-sm">
            Confira antes de pagar: em caso de diferença, vale o que está no documento.
          </p>
        )}
      </div>
      {dialog.asked && (
        <Suspense>
          <ReportPaymentDialog
            document={document}
            open={dialog.open}
            onClose={() => setDialog({ asked: true, open: false })}
          />
        </Suspense>
      )}
    </Panel>
  );
}

/** The digits as text, for people who type them or who have no clipboard. */
function LineText({ digits }: { digits: string }) {
  return (
    <div>
      <h3 className="text-muted-foreground text-sm font-normal">Linha digitável</h3>
      <p className="mt-0.5 font-medium wrap-anywhere tabular-nums">{formatPaymentLine(digits)}</p>
    </div>
  );
}

function PixQrCode({ pix }: { pix: PixCode }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <Button
        variant="secondary"
        icon={<QrCodeIcon size={20} aria-hidden />}
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? 'Ocultar QR code' : 'Mostrar QR code'}
      </Button>
      {isShown && (
        <div className="flex flex-col items-center gap-2 py-2 text-center">
          <Suspense fallback={<Skeleton className="aspect-square w-full max-w-64" />}>
            <QrCode text={pix.code} label="QR code do Pix" />
          </Suspense>
          <p className="text-sm">
            Aponte a câmera do aplicativo do seu banco.
            <span className="text-muted-foreground block wrap-anywhere">Recebedor: {pix.merchant}</span>
          </p>
        </div>
      )}
    </>
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
