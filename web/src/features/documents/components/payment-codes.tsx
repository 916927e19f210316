// Amount, due date and codes of a document that is to be paid.
import { QrCode as QrCodeIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

import type { PaymentDetails } from '~/features/documents/api/payment-details';
import { formatMoney } from '~/lib/money';
import { formatPaymentLine, parsePaymentLine, parsePix, type PixCode } from '~/lib/payment-codes';
import { Button, type ButtonVariant } from '~/ui/button';
import { Skeleton } from '~/ui/skeleton';

import { CopyCodes } from './copy-codes';
import { DayOffNote } from './day-off-note';
import { ExpiryLabel } from './expiry-label';

// Loaded on demand, because most payments are made on the device that shows the page.
const QrCode = lazy(async () => ({ default: (await import('./qr-code')).QrCode }));

type AmountProps = {
  /** Without the due date if it is paid. */
  document: Pick<PaymentDetails, 'amount_cents' | 'category'> & { expires_at: string | null };
};

export function PaymentAmount({ document }: AmountProps) {
  return (
    <div className="empty:hidden">
      {document.amount_cents !== null && (
        <p className="text-3xl font-semibold tracking-tight tabular-nums">
          {formatMoney(document.amount_cents)}
        </p>
      )}
      <ExpiryLabel expiresAt={document.expires_at} large className="mt-1" />
      <DayOffNote expiresAt={document.expires_at} category={document.category} className="mt-1" />
    </div>
  );
}

type CodesProps = {
  document: Pick<PaymentDetails, 'payment_line' | 'pix_code'> & { name: string };
  variant: ButtonVariant;
};

/** The codes to copy, the QR code of Pix, and the payment line as text. */
export function PaymentCodes({ document, variant }: CodesProps) {
  const line = parsePaymentLine(document.payment_line ?? '');
  const pix = parsePix(document.pix_code ?? '');
  return (
    <>
      {(line || pix) && (
        <div className="flex flex-col gap-2">
          <CopyCodes document={document} variant={variant} />
          {pix && <PixQrCode pix={pix} />}
        </div>
      )}
      {line && <LineText digits={line.digits} />}
    </>
  );
}

export function PaymentCaution() {
  return (
    <p className="text-muted-foreground text-sm">
      Confira antes de pagar: em caso de diferença, vale o que está no documento.
    </p>
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
