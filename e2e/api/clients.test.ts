// Management of clients' accounts by administrators.

import { beforeAll, describe, expect, test } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import {
  type ApiClient,
  addDocument,
  BUCKET,
  createPerson,
  unwrap,
  adminClient,
  signIn,
  anonClient,
  present,
} from '../helpers/api.ts';
import { samplePdf } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

describe('administrator', () => {
  let portaria: Portaria;
  let admin: ApiClient;
  let api: ApiClient;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    admin = await signIn(portaria, ADMIN);
    api = await adminClient(portaria, admin);
  });

  test('creates clients, and the list shows clients without the staff', async () => {
    const bia = await createPerson(portaria, admin, 'Beatriz Gonçalves', 'bia@oficina.com.br');
    const clients = await unwrap(admin.from('clients').select('*').order('created_at', { ascending: false }));
    expect(clients[0]).toMatchObject({
      id: bia.id,
      email: bia.email,
      user_metadata: { full_name: bia.name },
    });
    expect(clients.map(({ email }) => email)).not.toContain(ADMIN.email);
    const one = await unwrap(admin.from('clients').select('email, user_metadata').eq('id', bia.id).single());
    expect(one).toEqual({ email: bia.email, user_metadata: { full_name: bia.name } });
  });

  test('gets an error code for each invalid new client', async () => {
    const { email } = await createPerson(portaria, admin, 'Caio Ávila', 'caio@oficina.com.br');
    const again = await api.auth.admin.createUser({ email, password: 'outra senha', email_confirm: true });
    expect(again.error).toMatchObject({ status: 422, code: 'email_exists' });
    const weak = await api.auth.admin.createUser({
      email: 'davi@oficina.com.br',
      password: '12345',
      email_confirm: true,
    });
    expect(weak.error).toMatchObject({ status: 422, code: 'weak_password' });
    const malformed = await api.auth.admin.createUser({
      email: 'davi',
      password: 'outra senha',
      email_confirm: true,
    });
    expect(malformed.error).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('renames a client and sets a password, which ends open sessions', async () => {
    const eva = await createPerson(portaria, admin, 'Eva Antunes', 'eva@oficina.com.br');
    const before = await signIn(portaria, eva);
    await unwrap(api.auth.admin.updateUserById(eva.id, { user_metadata: { full_name: 'Eva Antunes Leão' } }));
    await unwrap(api.auth.admin.updateUserById(eva.id, { password: 'senha trocada' }));
    expect((await before.from('tickets').select('id')).status).toBe(401);
    const { auth } = await signIn(portaria, { email: eva.email, password: 'senha trocada' });
    expect((await unwrap(auth.getUser())).user.user_metadata).toMatchObject({
      full_name: 'Eva Antunes Leão',
    });
  });

  test('lists accounts by page', async () => {
    const { users } = await unwrap(api.auth.admin.listUsers({ page: 1, perPage: 1 }));
    expect(users).toHaveLength(1);
  });

  test('deletes a client with documents, files and sessions', async () => {
    const fabio = await createPerson(portaria, admin, 'Fábio Nóbrega', 'fabio@oficina.com.br');
    const [folder] = await unwrap(admin.from('folders').select('id_supabase'));
    const { path } = await addDocument(admin, fabio, present(folder).id_supabase, await samplePdf());
    const client = await signIn(portaria, fabio);

    await unwrap(api.auth.admin.deleteUser(fabio.id));

    expect((await client.from('documents').select('id')).status).toBe(401);
    const signedIn = await anonClient(portaria).auth.signInWithPassword(fabio);
    expect(signedIn.error).toMatchObject({ code: 'invalid_credentials' });
    expect(await unwrap(admin.from('documents').select('id').eq('file_url', path))).toEqual([]);
    expect((await admin.storage.from(BUCKET).download(path)).data).toBeNull();
    expect(await unwrap(admin.from('clients').select('id').eq('id', fabio.id))).toEqual([]);
  });

  test('deletes a document, which revokes access to its file', async () => {
    const gil = await createPerson(portaria, admin, 'Gil Moraes', 'gil@oficina.com.br');
    const [folder] = await unwrap(admin.from('folders').select('id_supabase'));
    const { id, path } = await addDocument(admin, gil, present(folder).id_supabase, await samplePdf());
    const client = await signIn(portaria, gil);
    const { signedUrl } = await unwrap(client.storage.from(BUCKET).createSignedUrl(path, 60));
    expect((await fetch(signedUrl)).status).toBe(200);

    expect((await admin.from('documents').delete().eq('id', id)).status).toBe(204);
    expect(await unwrap(client.from('documents').select('id'))).toEqual([]);
    expect((await fetch(signedUrl)).ok).toBe(false);
    expect((await client.storage.from(BUCKET).download(path)).data).toBeNull();
  });

  test('cannot insert a document without a client', async () => {
    const hugo = await createPerson(portaria, admin, 'Hugo Sá', 'hugo@oficina.com.br');
    const row = {
      folder_id_supabase: 'x',
      name: 'x',
      type: 'pdf',
      created_at: '2026-11-20',
      status: 'active',
    };
    const missing = await admin
      .from('documents')
      .insert({ ...row, file_url: `public/${hugo.id}/x/1-nada.pdf` });
    expect(missing.error).not.toBeNull();
    expect(await unwrap(admin.from('documents').select('id').eq('name', 'x'))).toEqual([]);
  });
});
