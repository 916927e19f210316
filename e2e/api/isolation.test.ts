// Isolation of clients: other people's rows and files answer exactly like missing ones.

import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import {
  type ApiClient,
  BUCKET,
  unwrap,
  type Seed,
  seedOffice,
  adminClient,
  signIn,
  anonClient,
} from '../helpers/api.ts';
import { sha256 } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

interface Target {
  readonly person: string;
  readonly document: string;
  readonly ticket: string;
  readonly path: string;
}

type ApiCall = (client: ApiClient, target: Target) => PromiseLike<unknown>;

const DOCUMENTS: [string, ApiCall][] = [
  ['by id', (client, { document }) => client.from('documents').select('*').eq('id', document)],
  [
    'by id, as one row',
    (client, { document }) => client.from('documents').select('*').eq('id', document).single(),
  ],
  ['by path', (client, { path }) => client.from('documents').select('*').eq('file_url', path)],
  [
    'by either of two filters',
    (client, { document }) => client.from('documents').select('*').or(`id.eq.${document},status.eq.active`),
  ],
  [
    'by a negated filter',
    (client, { document }) => client.from('documents').select('*').not('id', 'neq', document),
  ],
  ['by list', (client, { document }) => client.from('documents').select('*').in('id', [document])],
  ['by pattern', (client) => client.from('documents').select('*').ilike('name', '%declara%')],
  [
    'counted',
    (client, { document }) =>
      client.from('documents').select('*', { count: 'exact', head: true }).eq('id', document),
  ],
  ['embedded in folders', (client) => client.from('folders').select('name, documents(*)')],
  ['counted in folders', (client) => client.from('folders').select('name, documents(count)')],
  [
    'through an inner join',
    (client, { document }) =>
      client.from('folders').select('name, documents!inner(id)').eq('documents.id', document),
  ],
  [
    'updated',
    (client, { document }) => client.from('documents').update({ name: 'Minha' }).eq('id', document).select(),
  ],
  ['deleted', (client, { document }) => client.from('documents').delete().eq('id', document).select()],
];

const TICKETS: [string, ApiCall][] = [
  ['by id', (client, { ticket }) => client.from('tickets').select('*').eq('id', ticket)],
  ['by subject', (client) => client.from('tickets').select('*').eq('subject', 'Segredo de João')],
  ['counted', (client) => client.from('tickets').select('*', { count: 'exact', head: true })],
  [
    'closed',
    (client, { ticket }) => client.from('tickets').update({ status: 'closed' }).eq('id', ticket).select(),
  ],
  ['deleted', (client, { ticket }) => client.from('tickets').delete().eq('id', ticket).select()],
];

const FILES: [string, ApiCall][] = [
  ['downloaded', (client, { path }) => client.storage.from(BUCKET).download(path)],
  ['described', (client, { path }) => client.storage.from(BUCKET).info(path)],
  ['listed', (client, { path }) => client.storage.from(BUCKET).list(path.slice(0, path.lastIndexOf('/')))],
  ['listed from the top', (client) => client.storage.from(BUCKET).list('public')],
  ['signed', (client, { path }) => client.storage.from(BUCKET).createSignedUrl(path, 60)],
  ['signed in a list', (client, { path }) => client.storage.from(BUCKET).createSignedUrls([path], 60)],
  [
    'replaced',
    (client, { path }) => client.storage.from(BUCKET).upload(path, 'outra coisa', { upsert: true }),
  ],
  ['removed', (client, { path }) => client.storage.from(BUCKET).remove([path])],
  [
    'fetched as public',
    (client, { path }) => open(client.storage.from(BUCKET).getPublicUrl(path).data.publicUrl),
  ],
];

const HIDDEN: [string, (client: ApiClient) => PromiseLike<{ error: unknown; status: number }>][] = [
  ['selected', (client) => client.from('documents').select('client_id')],
  ['filtered', (client) => client.from('documents').select('id').eq('client_id', randomUUID())],
  ['ordered by', (client) => client.from('documents').select('id').order('client_id')],
  ['named in or', (client) => client.from('documents').select('id').or('status.eq.active,client_id.is.null')],
  ['selected from tickets', (client) => client.from('tickets').select('user_id')],
];

describe('another client', () => {
  let portaria: Portaria;
  let office: Seed;
  let target: Target;
  let mariana: ApiClient;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    office = await seedOffice(portaria);
    const joao = await signIn(portaria, office.joao);
    const ticket = await unwrap(
      joao
        .from('tickets')
        .insert({
          subject: 'Segredo de João',
          category: 'other',
          priority: 'low',
          message: 'Ninguém mais deve ler isto.',
        })
        .select()
        .single(),
    );
    target = {
      person: office.joao.id,
      document: office.document.id,
      ticket: ticket.id,
      path: office.document.path,
    };
    mariana = await signIn(portaria, office.mariana);
  });

  test.each([
    ...DOCUMENTS.map(([description, call]) => ['document', description, call] as const),
    ...TICKETS.map(([description, call]) => ['ticket', description, call] as const),
    ...FILES.map(([description, call]) => ['file', description, call] as const),
  ])('gets no %s %s', async (_, __, call) => {
    const missingPerson = randomUUID();
    const path = target.path.replace(target.person, missingPerson);
    const missing: Target = { person: missingPerson, document: randomUUID(), ticket: randomUUID(), path };
    const response = normalize(await call(mariana, target), target);
    expect(response).not.toMatch(/Declaração|Segredo/);
    expect(response).toBe(normalize(await call(mariana, missing), missing));
  });

  test.each(HIDDEN)('cannot use the owner column when %s', async (_, call) => {
    expect(await call(mariana)).toMatchObject({ status: 400, error: { code: '42703' } });
  });

  test('counts only own documents', async () => {
    const folders = await unwrap(mariana.from('folders').select('documents(count)'));
    expect(folders.map(({ documents }) => documents)).toEqual(folders.map(() => [{ count: 0 }]));
  });

  test.each(['email_notification_settings', 'email_templates'] as const)('cannot read %s', async (table) => {
    expect(await mariana.from(table).select('*')).toMatchObject({ status: 403, error: { code: '42501' } });
  });

  test('finds only itself among the clients', async () => {
    expect(await unwrap(mariana.from('clients').select('id'))).toEqual([{ id: office.mariana.id }]);
  });

  test('cannot write folders or documents', async () => {
    const folder = { id_supabase: 'minha', name: 'Minha', icon: 'user' };
    const document = {
      folder_id_supabase: office.document.folder,
      name: 'Minha',
      type: 'pdf',
      status: 'active',
      file_url: target.path,
    };
    const refusal = { status: 403, error: { code: '42501' } };
    expect(await mariana.from('folders').insert(folder)).toMatchObject(refusal);
    expect(await mariana.from('documents').insert(document)).toMatchObject(refusal);
  });

  test("cannot use the administrators' endpoints", async () => {
    const { auth } = await adminClient(portaria, mariana);
    expect((await auth.admin.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' });
    expect((await auth.admin.getUserById(target.person)).error).toMatchObject({
      status: 403,
      code: 'not_admin',
    });
    expect(
      (await auth.admin.updateUserById(target.person, { password: 'tomada à força' })).error,
    ).toMatchObject({ code: 'not_admin' });
    expect((await auth.admin.deleteUser(target.person)).error).toMatchObject({ code: 'not_admin' });
    expect((await mariana.auth.admin.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' });
  });

  test('cannot make itself an administrator', async () => {
    await unwrap(mariana.auth.updateUser({ data: { roles: ['admin'], role: 'admin' } }));
    const { auth } = await adminClient(portaria, mariana);
    expect((await auth.admin.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' });
  });

  test.each(['folders', 'documents', 'tickets', 'clients', 'email_templates'] as const)(
    'a guest cannot read %s',
    async (table) => {
      const answer = await anonClient(portaria).from(table).select('*');
      expect(answer).toMatchObject({ status: 401, error: { code: '42501' } });
    },
  );

  test('a guest cannot download files', async () => {
    const guest = anonClient(portaria);
    expect((await guest.storage.from(BUCKET).download(target.path)).data).toBeNull();
    expect((await open(guest.storage.from(BUCKET).getPublicUrl(target.path).data.publicUrl)).ok).toBe(false);
  });

  test("leaves the first client's data unchanged", async () => {
    const joao = await signIn(portaria, office.joao);
    expect(await unwrap(joao.from('documents').select('name, status'))).toEqual([
      { name: 'Declaração nº 3 – João.pdf', status: 'active' },
    ]);
    expect(await unwrap(joao.from('tickets').select('subject, status'))).toEqual([
      { subject: 'Segredo de João', status: 'open' },
    ]);
    const file = await unwrap(joao.storage.from(BUCKET).download(target.path));
    expect(sha256(await file.bytes())).toBe(sha256(office.document.bytes));
  });
});

async function open(url: string): Promise<{ ok: boolean; status: number; text: string }> {
  const response = await fetch(url);
  return { ok: response.ok, status: response.status, text: await response.text() };
}

/** Serializes a response without the target's values and the request ID, so that responses can be compared. */
function normalize(answer: unknown, { person, document, ticket, path }: Target): string {
  return [path, person, document, ticket]
    .reduce((text, value) => text.replaceAll(value, '·'), JSON.stringify(answer))
    .replaceAll(/\\?"request_id\\?":\\?"[^"\\]*\\?"/g, '"request_id":"·"');
}
