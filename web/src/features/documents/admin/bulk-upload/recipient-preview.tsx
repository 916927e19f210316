// Live statement of who receives documents and e-mails, below the form of a bulk upload.
import { CircleHelp } from 'lucide-react';

import type { Client } from '~/features/clients/api/clients';
import { pluralize } from '~/lib/format';

import {
  type BulkUploadItem,
  type ClientCount,
  countByClient,
  findDestination,
  isPending,
  pendingOfKind,
} from './bulk-upload-item';
import { RecipientLines } from './recipient-lines';

type RecipientPreviewProps = {
  items: readonly BulkUploadItem[];
  chosen: Client | null;
  document: Parameters<typeof RecipientLines>[0]['document'];
};

export function RecipientPreview({ items, chosen, document }: RecipientPreviewProps) {
  const undecided = pendingOfKind(items, chosen, 'undecided').length;
  const unconfirmed = pendingOfKind(items, chosen, 'unconfirmed').length;
  // Without files the line is about the chosen client, as in the form for a single document.
  const recipients =
    items.length === 0 && chosen ? [{ client: chosen, count: 0 }] : countRecipients(items, chosen);
  const isChecking = items.some((item) => isPending(item) && item.identity === 'checking');
  return (
    // A screen reader reads each change. The text is constant during the check, and then each line is read alone.
    <div
      role="status"
      aria-atomic={false}
      aria-label="Avisos por e-mail"
      className="flex min-h-6 flex-col gap-2"
    >
      {isChecking ? (
        <p className="text-muted-foreground text-body">Conferindo quem recebe os documentos…</p>
      ) : (
        <>
          <RecipientLines recipients={recipients} document={document} />
          {unconfirmed > 0 && (
            <p className="text-muted-foreground text-body flex items-start gap-2">
              <CircleHelp size={20} aria-hidden className="mt-px shrink-0" />
              {pluralize(unconfirmed, 'arquivo espera', 'arquivos esperam')} a sua confirmação ao enviar.
            </p>
          )}
          {undecided > 0 && (
            <p className="text-warning text-body flex items-start gap-2 font-medium">
              <CircleHelp size={20} aria-hidden className="mt-px shrink-0" />
              {pluralize(undecided, 'arquivo espera', 'arquivos esperam')} a sua decisão.
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** The clients who receive the pending files. A file that names no one counts for the chosen client. */
export function countRecipients(items: readonly BulkUploadItem[], chosen: Client | null): ClientCount[] {
  return countByClient(
    items.filter(isPending).map((item) => {
      const destination = findDestination(item, chosen);
      if (destination.kind === 'client') return destination.client;
      return destination.kind === 'unconfirmed' ? chosen : null;
    }),
  );
}
