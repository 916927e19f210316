// Validation schema of the upload form.
import * as z from 'zod/mini';

import { blankPayment, paymentShape, type PaymentValues } from '../payment-schema';

export type UploadValues = PaymentValues & {
  clientId: string;
  folderId: string;
  file: File | null;
  documentName: string;
  documentType: string;
  expiresAt: string;
  kind: string;
  approvalRequest: string;
};

export const blankUpload: UploadValues = {
  clientId: '',
  folderId: '',
  file: null,
  documentName: '',
  documentType: '',
  expiresAt: '',
  kind: '',
  approvalRequest: '',
  ...blankPayment,
};

export const uploadSchema = z.object({
  clientId: z.string().check(z.minLength(1, 'Cliente é obrigatório.')),
  folderId: z.string().check(z.minLength(1, 'Pasta é obrigatória.')),
  file: z.custom<File | null>((file) => file instanceof File, 'Arquivo é obrigatório.'),
  documentName: z.string().check(z.trim(), z.minLength(1, 'Nome do documento é obrigatório.')),
  documentType: z.string().check(z.trim()),
  expiresAt: z.string().check(z.refine(isDayOrBlank, 'Data inválida')),
  kind: z.string(),
  approvalRequest: z.string(),
  ...paymentShape,
});

export function isDayOrBlank(text: string): boolean {
  return text === '' || z.iso.date().safeParse(text).success;
}
