// Answers of clients to documents that ask for an acknowledgement or an approval.
import { queryOptions } from '@tanstack/react-query';

import type { Database } from '~/lib/api/database.types';
import { db } from '~/lib/api/postgrest';

import { documentKeys } from './documents';

export type ApprovalRequest = Database['public']['Enums']['documents_approval_request'];
export type ApprovalOutcome = Database['public']['Enums']['document_approvals_outcome'];

/** An answer to one file of a document. */
export type Approval = {
  file_url: string;
  outcome: ApprovalOutcome;
  reason: string | null;
  created_at: string;
};

/** A document with its request and the answers about its files, past ones included. */
export type ApprovableDocument = {
  id: string;
  file_url: string | null;
  approval_request: ApprovalRequest | null;
  document_approvals: Approval[];
};

const UNANSWERED_LIMIT = 10;

/** The oldest released documents that wait for an answer of the client, and the number of all. */
export function unansweredQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'unanswered'],
    async queryFn({ signal }) {
      const { data, count } = await db()
        .from('documents')
        .select('id,name,type,file_url,approval_request', { count: 'exact' })
        .not('approval_request', 'is', null)
        .is('approval_outcome', null)
        .not('file_url', 'is', null)
        .neq('status', 'pending')
        .order('created_at')
        .order('id')
        .limit(UNANSWERED_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return { documents: data, total: count ?? data.length };
    },
  });
}

/** The answer about the present file, if there is one. */
export function approvalOf({ file_url: file, document_approvals: answers }: ApprovableDocument) {
  return answers.find((answer) => answer.file_url === file);
}

export const outcomeLabels: Record<ApprovalOutcome, string> = {
  acknowledged: 'Leitura confirmada',
  approved: 'Aprovado',
  refused: 'Recusado',
};

type ApprovalAnswer = { document: ApprovableDocument; outcome: ApprovalOutcome; reason?: string };

/** Answers the file that the client sees. The server refuses an answer about a replaced file. */
export async function answerDocument({ document, outcome, reason }: ApprovalAnswer): Promise<void> {
  const { id, file_url } = document;
  if (file_url === null) throw new Error('A document without a file takes no answer.');
  await db()
    .from('document_approvals')
    .insert({ document_id: id, file_url, outcome, ...(reason !== undefined && { reason }) })
    .throwOnError();
}

/** Withdraws the answer about a file, so that the client can answer again. For staff. */
export async function withdrawApproval({ id, file }: { id: string; file: string }): Promise<void> {
  await db().from('document_approvals').delete().eq('document_id', id).eq('file_url', file).throwOnError();
}
