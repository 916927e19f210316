// A new ticket about a document: its first values and the link to the document.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { documentQuery } from '~/features/documents/api/documents';
import type { NewTicket } from '~/features/tickets/api/tickets';
import { blankTicket } from '~/features/tickets/ticket-draft';
import { queryClient } from '~/lib/api/query-client';
import { formatDate } from '~/lib/dates';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';

/** First values of a ticket that asks for an updated slip, or null if the document cannot be read. The form is then empty. */
export async function askForUpdate(documentId: string): Promise<NewTicket | null> {
  const document = await queryClient.ensureQueryData(documentQuery(documentId)).catch(() => null);
  if (!document) return null;
  const { id, name, expires_at } = document;
  const due = expires_at === null ? '' : `, com vencimento em ${formatDate(expires_at)}`;
  return {
    ...blankTicket,
    subject: `Guia atualizada: ${name}`.slice(0, 200),
    category: 'billing',
    message: `Preciso da guia atualizada de “${name}”${due}.`,
    document_id: id,
  };
}

export function AboutDocument({ documentId }: { documentId: string }) {
  const { data: document } = useQuery(documentQuery(documentId));
  return (
    <Alert variant="info">
      Sobre o documento{' '}
      <Link to={paths.document(documentId)} className="font-medium wrap-anywhere underline">
        {document?.name ?? `#${documentId.slice(-4)}`}
      </Link>
    </Alert>
  );
}
