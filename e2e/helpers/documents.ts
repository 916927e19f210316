// Documents, inserted as the upload form inserts them.

import type { TestApp } from '../fixtures/test.ts';
import { BUCKET, unwrap, expectOk, type Person } from './api.ts';

export interface DocumentSeed {
  readonly name: string;
  readonly type?: string;
  readonly folder?: string;
  readonly expires?: string | null;
  readonly status?: string;
  readonly uploaded?: Date;
  readonly paymentLine?: string;
  readonly pixCode?: string;
  /** Default: the smallest PDF. Null: a document without a file. */
  readonly file?: { readonly bytes: Uint8Array; readonly mimeType: string } | null;
}

let seedCount = 0;

export async function seedDocument({ admin }: TestApp, owner: Person, seed: DocumentSeed): Promise<string> {
  const {
    name,
    type = 'pdf',
    folder = 'faturas',
    expires = null,
    status = 'active',
    file = MINIMAL_PDF,
  } = seed;
  seedCount += 1;
  const path = file && `public/${owner.id}/${folder}/${Date.now()}-${seedCount}.${type}`;
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
    uploaded_at: (seed.uploaded ?? new Date()).toISOString(),
    payment_line: seed.paymentLine ?? null,
    pix_code: seed.pixCode ?? null,
  };
  const { id } = await unwrap(admin.from('documents').insert(row).select('id').single());
  return id;
}

/** Inserts many documents without files. */
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
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    await expectOk(admin.from('documents').insert(rows.slice(start, start + BATCH_SIZE)));
  }
}

const BATCH_SIZE = 500;

// The smallest valid PDF header and trailer. Tests that read the file bring their own.
const MINIMAL_PDF = { bytes: new TextEncoder().encode('%PDF-1.4\n%%EOF\n'), mimeType: 'application/pdf' };
