// Documents put where a test needs them, as the office's own form would.

import type { TestApp } from '../fixtures/test.ts';
import { BUCKET, unwrap, expectOk, type Person } from './api.ts';

export interface DocumentSeed {
  readonly name: string;
  readonly type?: string;
  readonly folder?: string;
  readonly expires?: string | null;
  readonly status?: string;
  readonly uploaded?: Date;
  /** Absent, it is the least of a PDF; null, the document has no file. */
  readonly file?: { readonly bytes: Uint8Array; readonly mimeType: string } | null;
}

let put = 0;

export async function seedDocument({ admin }: TestApp, owner: Person, given: DocumentSeed): Promise<string> {
  const {
    name,
    type = 'pdf',
    folder = 'faturas',
    expires = null,
    status = 'active',
    file = MINIMAL_PDF,
  } = given;
  put += 1;
  const path = file && `public/${owner.id}/${folder}/${Date.now()}-${put}.${type}`;
  if (path !== null && file !== null) {
    const blob = new Blob([new Uint8Array(file.bytes)], { type: file.mimeType });
    await unwrap(admin.storage.from(BUCKET).upload(path, blob));
  }
  const row = {
    client_id: owner.id,
    folder_id_supabase: folder,
    name,
    type,
    expires_at: expires,
    status,
    file_url: path,
    uploaded_at: (given.uploaded ?? new Date()).toISOString(),
  };
  const { id } = await unwrap(admin.from('documents').insert(row).select('id').single());
  return id;
}

/** Very many documents at once, without files. */
export async function seedDocuments(
  { admin }: Pick<TestApp, 'admin'>,
  owner: Person,
  names: readonly string[],
): Promise<void> {
  const rows = names.map((name) => ({
    client_id: owner.id,
    folder_id_supabase: 'contratos',
    name,
    type: 'pdf',
    uploaded_at: new Date().toISOString(),
  }));
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    await expectOk(admin.from('documents').insert(rows.slice(at, at + BATCH_SIZE)));
  }
}

const BATCH_SIZE = 500;

// The smallest file that is a PDF; what looks into files needs more, and brings its own.
const MINIMAL_PDF = { bytes: new TextEncoder().encode('%PDF-1.4\n%%EOF\n'), mimeType: 'application/pdf' };
