import * as z from 'zod/mini';

import { uploadSchema } from '../upload/upload-schema';

const { clientId, folderId, expiresAt } = uploadSchema.shape;

/** The fields of an upload of several files; the rules are those of a single upload. */
export const bulkUploadSchema = z.object({
  clientId,
  folderId,
  expiresAt,
  /** Number of files to send. */
  files: z.number().check(z.refine((count) => count > 0, 'Arquivo é obrigatório.')),
});
