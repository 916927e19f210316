// Validation schema of the document form.
import * as z from 'zod/mini';

import { parseAmount, parsePaymentLine, parsePix } from '~/lib/payment-codes';

import { isDayOrBlank } from './upload/upload-schema';

export type DocumentValues = {
  documentName: string;
  folderId: string;
  expiresAt: string;
  kind: string;
  status: string;
  legalHoldReason: string;
  category: string;
  /** `2026-10`, or blank. */
  referenceMonth: string;
  /** `1.234,56`, or blank. */
  amount: string;
  paymentLine: string;
  pixCode: string;
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
  category: z.string().check(
    z.trim(),
    z.refine(
      (text) => /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/.test(text),
      'Use só letras minúsculas sem acento, números e hífens.',
    ),
  ),
  referenceMonth: z
    .string()
    .check(z.refine((text) => /^(?:\d{4}-(?:0[1-9]|1[0-2]))?$/.test(text), 'Informe um mês, como 2026-10.')),
  amount: z
    .string()
    .check(
      z.refine((text) => isBlank(text) || parseAmount(text) !== null, 'Informe um valor, como 1.234,56.'),
    ),
  paymentLine: z
    .string()
    .check(
      z.refine(
        (text) => isBlank(text) || parsePaymentLine(text) !== null,
        'A linha digitável não confere. Confira os 47 ou 48 dígitos.',
      ),
    ),
  pixCode: z
    .string()
    .check(
      z.refine(
        (text) => isBlank(text) || parsePix(text) !== null,
        'O Pix não confere. Copie o código inteiro outra vez.',
      ),
    ),
  responsibleId: z.string(),
  approvalRequest: z.string(),
});

function isBlank(text: string): boolean {
  return text.trim() === '';
}
