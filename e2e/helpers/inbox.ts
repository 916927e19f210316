// Files of the inbox that were read and reviewed, without the time that this takes.

import type { TestApp } from '../fixtures/test.ts';

/** Inserts recognized files of a client. They have no bytes, so their documents cannot be opened. */
export function seedRecognizedFiles(
  { portaria }: TestApp,
  { client, folder, count }: { client: string; folder: string; count: number },
): void {
  const now = new Date().toISOString();
  portaria.execSql(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
     INSERT INTO inbox_files (id, name, file_url, size, sha256, mime_type, source, created_at, updated_at, state,
       review_group, client_id, folder_id_supabase, document_name)
     SELECT printf('00000000-0000-4000-8000-%012x', abs(random()) % 281474976710656), 'guia ' || n || '.pdf',
       hex(randomblob(16)) || '.pdf', 1, lower(hex(randomblob(32))), 'application/pdf', 'upload', '${now}', '${now}',
       'ready', 'recognized', '${client}', '${folder}', 'Guia ' || n FROM numbers`,
  );
}
