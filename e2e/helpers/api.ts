// Test office: API clients, accounts, and a seeded document.

import { createClient, type SupabaseClient } from '@supabase/supabase-js';

import type { Database } from '../../web/src/lib/api/database.ts';
import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { samplePdf, SAMPLE_PDF_NAME } from './pdf.ts';

export const BUCKET = 'client-documents';

/** The official client, typed with the server's tables. */
export type ApiClient = SupabaseClient<Database>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

export interface Seed {
  readonly admin: ApiClient;
  readonly joao: Person;
  readonly mariana: Person;
  /** João's document. */
  readonly document: {
    readonly id: string;
    readonly path: string;
    readonly folder: string;
    readonly bytes: Buffer;
  };
}

/** Signs in the administrator, creates two clients and sends the first one a document. */
export async function seedOffice(portaria: Portaria): Promise<Seed> {
  const admin = await signIn(portaria, ADMIN);
  const joao = await createPerson(portaria, admin, 'João da Conceição', 'joao@padaria.com.br');
  const mariana = await createPerson(portaria, admin, 'Mariana Albuquerque', 'mariana@clinica.com.br');
  const folders = await unwrap(admin.from('folders').select('id, id_supabase, name'));
  const folder = present(folders.find(({ name }) => name === 'Faturas')).id_supabase;
  const bytes = await samplePdf();
  const { path, id } = await addDocument(admin, joao, folder, bytes);
  return { admin, joao, mariana, document: { id, path, folder, bytes } };
}

/** Uploads the file and inserts the row, with the fields that the upload form sends. */
export async function addDocument(
  admin: ApiClient,
  owner: Person,
  folder: string,
  bytes: Buffer,
  expires = '2027-03-31',
): Promise<{ path: string; id: string }> {
  const path = `public/${owner.id}/${folder}/${Date.now()}-${SAMPLE_PDF_NAME}`;
  const file = new File([new Uint8Array(bytes)], SAMPLE_PDF_NAME, { type: 'application/pdf' });
  await unwrap(admin.storage.from(BUCKET).upload(path, file));
  const row = {
    folder_id_supabase: folder,
    name: SAMPLE_PDF_NAME,
    type: 'pdf',
    created_at: '2026-11-20',
    expires_at: expires,
    status: 'active',
    file_url: path,
    uploaded_at: new Date().toISOString(),
  };
  await expectOk(admin.from('documents').insert(row));
  const { id } = await unwrap(admin.from('documents').select('id').eq('file_url', path).single());
  return { path, id };
}

export async function createPerson(
  portaria: Portaria,
  admin: ApiClient,
  name: string,
  email: string,
): Promise<Person> {
  const password = `senha de ${email}`;
  const api = await adminClient(portaria, admin);
  const { user } = await unwrap(
    api.auth.admin.createUser({ email, password, email_confirm: true, user_metadata: { full_name: name } }),
  );
  return { id: user.id, email, password, name };
}

export function anonClient({ url, anonKey }: Portaria): ApiClient {
  return createClient<Database>(url, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** A client with the service key, which bypasses the row policies. */
export function serviceClient({ url, serviceRoleKey }: Portaria): ApiClient {
  return createClient<Database>(url, serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

export async function signIn(
  portaria: Portaria,
  person: { email: string; password: string },
): Promise<ApiClient> {
  const client = anonClient(portaria);
  await unwrap(client.auth.signInWithPassword({ email: person.email, password: person.password }));
  return client;
}

/**
 * A second client that carries the session's token in its headers. Without it, `auth.admin` sends the anonymous
 * key.
 */
export async function adminClient(portaria: Portaria, client: ApiClient): Promise<ApiClient> {
  return clientWithToken(portaria, await accessToken(client));
}

export function clientWithToken({ url, anonKey }: Portaria, token: string): ApiClient {
  return createClient<Database>(url, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false, storageKey: 'privileged' },
    global: { headers: { Authorization: `Bearer ${token}` } },
  });
}

export async function accessToken(client: ApiClient): Promise<string> {
  const { session } = await unwrap(client.auth.getSession());
  if (session === null) {
    throw new Error('There is no session.');
  }
  return session.access_token;
}

/** Returns the value. Throws if it is null or undefined. */
export function present<T>(value: T): NonNullable<T> {
  if (value === null || value === undefined) {
    throw new Error('The value is missing.');
  }
  return value;
}

type ApiResponse = { readonly data: unknown; readonly error: unknown };
type Success<A extends ApiResponse> = Extract<A, { error: null }>;

/** Returns the data of a call. Throws if the call failed or returned no data. */
export async function unwrap<A extends ApiResponse>(
  call: PromiseLike<A>,
): Promise<NonNullable<Success<A>['data']>> {
  const { data } = await expectOk(call);
  if (data === null || data === undefined) {
    throw new Error('The call gave nothing.');
  }
  return data;
}

/** Returns the response of a call. Throws if the call failed. */
export async function expectOk<A extends ApiResponse>(call: PromiseLike<A>): Promise<Success<A>> {
  const response = await call;
  if (!isSuccess(response)) {
    throw new Error(`The call failed: ${JSON.stringify(response.error)}`, { cause: response.error });
  }
  return response;
}

function isSuccess<A extends ApiResponse>(response: A): response is Success<A> {
  return response.error === null;
}
