// Validation schema of the document form.
import * as z from 'zod/mini';

import { paymentShape, type PaymentValues } from './payment-schema';
import { isDayOrBlank } from './upload/upload-schema';

export type DocumentValues = PaymentValues & {
  documentName: string;
  folderId: string;
  expiresAt: string;
  kind: string;
  status: string;
  legalHoldReason: string;
  /** ID of a member of staff, or blank. */
  responsibleId: string;
  /** `acknowledge`, `approve`, or blank. */
  approvalRequest: string;
};

/** Editable fields of a document, with the same rules as the upload form. */
export const documentSchema = z.object({
  documentName: z.string().check(z.trim(), z.minLength(1, 'Nome do documento é obrigatório.')),
  folderId: z.string().check(z.minLength(1, 'Pasta é obrigatória.')),
  expiresAt: z.string().check(z.refine(isDayOrBlank, 'Data inválida')),
  kind: z.string(),
  status: z.string(),
  legalHoldReason: z.string().check(z.trim()),
  ...paymentShape,
  responsibleId: z.string(),
  approvalRequest: z.string(),
});
