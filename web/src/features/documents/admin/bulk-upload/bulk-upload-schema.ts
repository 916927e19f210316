import * as z from 'zod/mini';

import { uploadSchema } from '../upload/upload-schema';

/** The fields of an upload of several files; the rules are those of a single upload. */
export const bulkUploadSchema = z.object({
  ...z.pick(uploadSchema, { clientId: true, folderId: true, expiresAt: true }).shape,
  /** Number of files to send. */
  files: z.number().check(z.minimum(1, 'Arquivo é obrigatório.')),
});
