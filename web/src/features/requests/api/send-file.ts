// Uploads of files that a client sends.
import { activeClientId } from '~/features/members/api';
import type { UploadOptions } from '~/hooks/use-uploads';
import { db } from '~/lib/api/postgrest';
import { uploadFile } from '~/lib/api/upload-file';
import { receivedFilePath, uniqueTimestamp } from '~/lib/files/storage-path';

export type SendFile = {
  /** The item that the file answers. */
  itemId: string | null;
  note: string | null;
  file: File;
};

const MAX_NAME_LENGTH = 255;

/** Uploads a file and adds its row, unless the upload is aborted. */
export async function sendFile({ itemId, note, file }: SendFile, options: UploadOptions): Promise<void> {
  const clientId = await activeClientId();
  const path = receivedFilePath({ clientId, itemId, fileName: file.name, now: uniqueTimestamp() });
  if (!(await uploadFile({ bucket: 'received-files', path, file, ...options }))) return;
  const name = file.name.normalize('NFC').slice(0, MAX_NAME_LENGTH);
  await db().from('received_files').insert({ item_id: itemId, name, file_url: path, note }).throwOnError();
}
