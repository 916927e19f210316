// A document with its due date, in the lists of the home page.
import { Link } from 'react-router';

import type { ExpiringDocument } from '~/features/documents/api/documents';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { FileIcon } from '~/ui/file-icon';

export function DueDocumentLink({ document }: { document: ExpiringDocument }) {
  return (
    <Link
      to={paths.document(document.id)}
      className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
    >
      <FileIcon type={document.type} path={document.file_url} />
      <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
        <span className="min-w-0 font-medium wrap-anywhere">{document.name}</span>
        <span className="flex shrink-0 flex-wrap items-baseline gap-x-3 sm:flex-col sm:items-end">
          {document.amount_cents !== null && document.status !== 'pending' && (
            <span className="font-semibold tabular-nums">{formatMoney(document.amount_cents)}</span>
          )}
          <ExpiryLabel expiresAt={document.expires_at} payments={document.document_payments} />
        </span>
      </span>
    </Link>
  );
}
