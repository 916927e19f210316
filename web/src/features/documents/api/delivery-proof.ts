// The timeline of a document, its proof of delivery, and the check of a proof by its code.
import { queryOptions } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { accountApi } from '~/lib/api/account-api';
import { getErrorInfo } from '~/lib/api/errors';
import { downloadBlob } from '~/lib/files/download-blob';

export type TimelineEntry = {
  at: string;
  title: string;
  /** The person who acted, or the recipient of a mail. */
  person: string | null;
  detail: string | null;
  /** Position in the audit log; null for a mail. */
  number: number | null;
};

/** The facts that a code confirms. */
export type CheckedProof = {
  office: string;
  issued_at: string;
  pdf_sha256: string;
  file_sha256: string | null;
  published_at: string | null;
  opened_at: string | null;
  events: number;
  log: 'confirmed' | 'expired' | 'contradicted';
};

export function timelineQuery(documentId: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'timeline', documentId],
    async queryFn({ signal }): Promise<TimelineEntry[]> {
      const response = await accountApi(`documents/${documentId}/timeline`, { signal });
      const { entries }: { entries: TimelineEntry[] } = await response.json();
      return entries;
    },
    meta: { errorToast: { title: 'Erro ao buscar a linha do tempo' } },
  });
}

/** Issues a proof of delivery, and saves its PDF. */
export async function downloadProof({ id, name }: { id: string; name: string }): Promise<void> {
  const response = await accountApi(`documents/${id}/proof`, { method: 'POST' });
  downloadBlob(await response.blob(), `Comprovante de entrega – ${name}.pdf`);
}

/** The facts of a proof, or null for an unknown code. */
export function checkedProofQuery(code: string) {
  return queryOptions({
    queryKey: ['checked-proof', code],
    async queryFn({ signal }): Promise<CheckedProof | null> {
      try {
        const response = await accountApi(`proofs/${encodeURIComponent(code)}`, { signal });
        return await response.json();
      } catch (error) {
        if (getErrorInfo(error).status === 404) return null;
        throw error;
      }
    },
  });
}
