// The document of a personal link: what to pay, above the preview and the download.
import { CircleCheck, Download } from 'lucide-react';

import { ButtonLink } from '~/components/button-link';
import { StickyAction } from '~/components/sticky-action';
import {
  downloadLinkedFile,
  type LinkedDocument,
  linkedFileQuery,
} from '~/features/documents/api/personal-links';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { PaymentAmount, PaymentCaution, PaymentCodes } from '~/features/documents/components/payment-codes';
import { DocumentViewer } from '~/features/documents/viewer/document-viewer';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { expiryOf, formatDate } from '~/lib/dates';
import { isPaidInTime } from '~/lib/days-off';
import { downloadFileName } from '~/lib/files/file-name';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';

export function LinkedDocumentView({ document }: { document: LinkedDocument }) {
  useCurrentMinute();
  const { name, type, file, file_name, expires_at, amount_cents, payment_line, pix_code, paid_on } = document;
  const isPayable = amount_cents !== null || payment_line !== null || pix_code !== null || paid_on !== null;
  return (
    <>
      <h1 className="mb-6 text-2xl wrap-anywhere sm:text-3xl">{name}</h1>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex flex-col gap-6 lg:col-start-2">
          {isPayable ? (
            <Payment document={document} />
          ) : (
            expires_at !== null && <ExpiryLabel expiresAt={expires_at} large />
          )}
          <p className="text-muted-foreground text-sm max-lg:hidden">
            Os seus outros documentos estão no portal.
            <ButtonLink variant="secondary" to={paths.login()} className="mt-3 w-full">
              Entrar no portal
            </ButtonLink>
          </p>
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-start-1">
          <DocumentViewer
            type={type}
            path={file_name}
            name={name}
            read={() => linkedFileQuery(file)}
            actions={
              <StickyAction>
                <Button
                  variant="secondary"
                  icon={<Download size={20} aria-hidden />}
                  onClick={() =>
                    downloadLinkedFile(file, downloadFileName({ name, type, file_url: file_name }))
                  }
                >
                  Baixar
                </Button>
              </StickyAction>
            }
          />
        </div>
      </div>
    </>
  );
}

function Payment({ document }: { document: LinkedDocument }) {
  const { expires_at, category, paid_on } = document;
  const isExpired = expiryOf(expires_at) === 'expired' && !isPaidInTime(expires_at, category);
  return (
    <Panel title="Pagamento">
      <div className="flex flex-col gap-4 p-5">
        <PaymentAmount document={paid_on === null ? document : { ...document, expires_at: null }} />
        {paid_on === null ? (
          <>
            <PaymentCodes document={document} variant={isExpired ? 'secondary' : 'primary'} />
            <PaymentCaution />
          </>
        ) : (
          <p className="bg-success-subtle flex gap-3 rounded px-4 py-3">
            <CircleCheck size={20} aria-hidden className="text-success mt-0.5 shrink-0" />
            <span className="tabular-nums">Pagamento informado em {formatDate(paid_on)}.</span>
          </p>
        )}
      </div>
    </Panel>
  );
}
