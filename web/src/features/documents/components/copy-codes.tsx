// Buttons that copy the codes with which a document is paid.
import { Barcode, Copy } from 'lucide-react';

import type { PaymentDetails } from '~/features/documents/api/payment-details';
import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { parsePaymentLine, parsePix } from '~/lib/payment-codes';
import { Button, type ButtonVariant } from '~/ui/button';

type CopyCodesProps = {
  document: Pick<PaymentDetails, 'payment_line' | 'pix_code'> & { name: string };
  variant: ButtonVariant;
  /** Whether the names of the buttons contain the document, for lists. */
  named?: boolean;
};

/** A button for each code of the document. A code with a wrong check digit has none. */
export function CopyCodes({ document, variant, named = false }: CopyCodesProps) {
  const copyLine = useCopyToClipboard('Código de barras copiado');
  const copyPix = useCopyToClipboard('Pix copiado');
  const line = parsePaymentLine(document.payment_line ?? '');
  const pix = parsePix(document.pix_code ?? '');
  const label = (action: string) => ({ ...(named && { 'aria-label': `${action} de ${document.name}` }) });
  return (
    <>
      {line && (
        <Button
          variant={variant}
          {...label('Copiar código de barras')}
          icon={<Barcode size={20} aria-hidden />}
          onClick={() => copyLine.mutate(line.digits)}
        >
          Copiar código de barras
        </Button>
      )}
      {pix && (
        <Button
          variant={variant}
          {...label('Copiar Pix')}
          icon={<Copy size={20} aria-hidden />}
          onClick={() => copyPix.mutate(pix.code)}
        >
          Copiar Pix
        </Button>
      )}
    </>
  );
}
