// Queries and mutations of one document for staff.
import { queryOptions } from '@tanstack/react-query';

import { findRecordChange } from '~/features/activity/api';
import { type Client, toClient } from '~/features/clients/api/clients';
import { staffName } from '~/features/staff/api';
import { type EditConflict, updateUnlessChanged } from '~/hooks/use-guarded-save';
import type { ClientRow, FolderKind, FolderRow, StaffRow, TicketStatus } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';
import { uploadFile } from '~/lib/api/upload-file';
import type { Day } from '~/lib/dates';
import { getExtension } from '~/lib/files/file-name';
import { storagePath, uniqueTimestamp } from '~/lib/files/storage-path';
import { isUuid } from '~/lib/uuid';

import type { Approval, ApprovalRequest } from './approvals';
import { documentKeys } from './documents';
import type { ReportedPayment } from './payment-details';
import { saveRowOrRemoveFile } from './upload-document';

export type AdminDocument = {
  id: string;
  name: string;
  type: string;
  folder_id_supabase: string;
  folder: string | null;
  client: Client | null;
  created_at: string;
  uploaded_at: string | null;
  expires_at: string | null;
  updated_at: string;
  status: string;
  kind: FolderKind | null;
  file_url: string | null;
  size: number | null;
  legal_hold_reason: string | null;
  retention_expired_at: string | null;
  erased_client_id: string | null;
  category: string | null;
  reference_month: string | null;
  amount_cents: number | null;
  payment_line: string | null;
  pix_code: string | null;
  published_at: string | null;
  withdrawn_at: string | null;
  /** ID of the client from whom the document was withdrawn. */
  withdrawn_client_id: string | null;
  /** The name is null for a former member of staff. */
  responsible: { id: string; name: string | null } | null;
  document_payments: (ReportedPayment & { created_at: string })[];
  approval_request: ApprovalRequest | null;
  document_approvals: Approval[];
  /** Tickets about the document. */
  tickets: { id: string; subject: string; status: TicketStatus }[];
  /** Reason of the folder's legal hold. */
  folder_hold_reason: string | null;
};

const DOCUMENT_COLUMNS =
  'id,name,type,folder_id_supabase,created_at,updated_at,uploaded_at,expires_at,status,kind,file_url,size,legal_hold_reason,retention_expired_at,erased_client_id,category,reference_month,amount_cents,payment_line,pix_code,published_at,withdrawn_at,withdrawn_client_id,responsible_id,folders(name,legal_hold_reason),clients(id,email,user_metadata),staff(email,user_metadata),document_payments(id,paid_on,created_at),approval_request,document_approvals(file_url,outcome,reason,created_at),tickets(id,subject,status)';

type SelectedDocument = Omit<AdminDocument, 'folder' | 'folder_hold_reason' | 'client' | 'responsible'> & {
  responsible_id: string | null;
  staff: Pick<StaffRow, 'email' | 'user_metadata'> | null;
  folders: Pick<FolderRow, 'name' | 'legal_hold_reason'> | null;
  clients: Pick<ClientRow, 'id' | 'email' | 'user_metadata'> | null;
};

function toAdminDocument(selected: SelectedDocument): AdminDocument {
  const { folders, clients, staff, responsible_id, ...document } = selected;
  return {
    ...document,
    responsible: responsible_id === null ? null : { id: responsible_id, name: staff && staffName(staff) },
    folder: folders?.name ?? null,
    folder_hold_reason: folders?.legal_hold_reason ?? null,
    client: clients && toClient(clients),
  };
}

/** The document, or null if it does not exist. */
export function adminDocumentQuery(id: string) {
  return queryOptions({
    queryKey: [...documentKeys.all, 'admin-one', id],
    async queryFn({ signal }): Promise<AdminDocument | null> {
      if (!isUuid(id)) return null;
      const { data } = await db()
        .from('documents')
        .select(DOCUMENT_COLUMNS)
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError();
      return data && toAdminDocument(data);
    },
    meta: { errorToast: { title: 'Erro ao buscar documentos' } },
  });
}

/** Omitted fields stay unchanged. An unchanged expiry keeps its seconds. */
export type DocumentUpdate = {
  name?: string;
  folder_id_supabase?: string;
  status?: string;
  /** Null selects the kind of the folder. */
  kind?: FolderKind | null;
  legal_hold_reason?: string | null;
  expires_at?: Day | null;
  category?: string | null;
  reference_month?: string | null;
  amount_cents?: number | null;
  payment_line?: string | null;
  pix_code?: string | null;
  responsible_id?: string | null;
  approval_request?: ApprovalRequest | null;
};

type UpdateOptions<Values> = {
  seen: AdminDocument;
  /** The values of the form. */
  mine: Values;
  /** The form's fields that the changes write. */
  written: readonly (keyof Values)[];
  toValues: (document: AdminDocument) => Values;
};

/** Updates a document, unless one of these fields has changed since it was seen. */
export async function updateDocument<Values extends object>(
  changes: DocumentUpdate,
  { seen, mine, written, toValues }: UpdateOptions<Values>,
): Promise<EditConflict<AdminDocument, Values> | null> {
  // An update without fields would match no row.
  if (Object.keys(changes).length === 0) return null;
  const { id } = seen;
  return updateUnlessChanged({
    seen,
    mine,
    written,
    toValues,
    async update({ updated_at }) {
      const { data } = await db()
        .from('documents')
        .update(changes)
        .eq('id', id)
        .eq('updated_at', updated_at)
        .select(DOCUMENT_COLUMNS)
        .maybeSingle()
        .throwOnError();
      // The next save is based on the saved document.
      if (data) queryClient.setQueryData(adminDocumentQuery(id).queryKey, toAdminDocument(data));
      return data !== null;
    },
    async reload() {
      const document = await queryClient.fetchQuery({ ...adminDocumentQuery(id), staleTime: 0 });
      if (!document) throw Object.assign(new Error('O documento foi excluído.'), { code: 'PGRST116' });
      return document;
    },
    findChange: ({ updated_at }) =>
      findRecordChange({ event: 'document.changed', id, column: 'subject_id' }, updated_at),
  });
}

export type FileReplacement = {
  document: { id: string; clientId: string; folderId: string };
  file: File;
  /** Whether amount and payment codes are of the earlier file, and so removed. */
  endsPaymentData: boolean;
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/**
 * Replaces the file of a document. The server removes the old file with the update. Returns `false` if the upload was
 * aborted.
 */
export async function replaceFile({
  document,
  file,
  endsPaymentData,
  onProgress,
  signal,
}: FileReplacement): Promise<boolean> {
  const { id, clientId, folderId } = document;
  const path = storagePath({ clientId, folderId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: 'client-documents', path, file, onProgress, signal }))) return false;
  const type = getExtension(file.name);
  await saveRowOrRemoveFile(path, () =>
    db()
      .from('documents')
      .update({
        file_url: path,
        uploaded_at: new Date().toISOString(),
        ...(type !== '' && { type }),
        ...(endsPaymentData && { amount_cents: null, payment_line: null, pix_code: null }),
      })
      .eq('id', id)
      .select('id')
      .single()
      .throwOnError(),
  );
  return true;
}
