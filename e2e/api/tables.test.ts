// Shapes of rows in the table API: aggregates, spreads, named embeds, PUT, and bodies in CSV.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import {
  accessToken,
  addDocument,
  type ApiClient,
  expectOk,
  type Seed,
  seedOffice,
  signIn,
  unwrap,
} from '../helpers/api.ts';
import { openServer } from './server.ts';

let portaria: Portaria;
let office: Seed;
let client: ApiClient;

beforeAll(async () => {
  portaria = await openServer();
  office = await seedOffice(portaria);
  const { admin, joao, mariana } = office;
  const { bytes, folder } = office.document;
  const { id } = await addDocument(admin, joao, folder, bytes, '2028-02-29');
  await expectOk(admin.from('documents').update({ name: 'Guia.pdf' }).eq('id', id));
  await addDocument(admin, mariana, folder, bytes);
  client = await signIn(portaria, joao);
  return () => portaria.stop();
});

async function send(method: string, path: string, type: string, body: string): Promise<Response> {
  const headers = {
    apikey: portaria.anonKey,
    authorization: `Bearer ${await accessToken(office.admin)}`,
    'content-type': type,
    prefer: 'return=representation',
  };
  return fetch(`${portaria.url}/rest/v1/${path}`, { method, headers, body });
}

async function groups(from: ApiClient): Promise<unknown> {
  return unwrap(from.from('documents').select('folder_id_supabase, count()'));
}

describe('shapes of rows', () => {
  test('aggregates count what the caller may read', async () => {
    const { folder } = office.document;
    expect(await groups(client)).toEqual([{ folder_id_supabase: folder, count: 2 }]);
    expect(await groups(office.admin)).toEqual([{ folder_id_supabase: folder, count: 3 }]);
    const embedded = await unwrap(
      client.from('folders').select('name, documents(count())').eq('id_supabase', folder),
    );
    expect(embedded).toEqual([{ name: 'Faturas', documents: [{ count: 2 }] }]);
  });

  test('a spread of several rows is an array of values', async () => {
    const spread = await unwrap(
      client
        .from('folders')
        .select('name, ...documents(files:name)')
        .eq('id_supabase', office.document.folder)
        .order('name', { referencedTable: 'documents' })
        .eq('documents.name', 'Guia.pdf'),
    );
    expect(spread).toEqual([{ name: 'Faturas', files: ['Guia.pdf'] }]);
  });

  test('an embed is named by its foreign key', async () => {
    const query = 'folder:folders!documents_folder_id_supabase_fkey(name)';
    const named = await unwrap(client.from('documents').select(query).eq('name', 'Guia.pdf'));
    expect(named).toEqual([{ folder: { name: 'Faturas' } }]);
  });

  test('PUT inserts a row and then changes it', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const path = `saved_replies?id=eq.${id}&select=title`;
    for (const [title, status] of [
      ['Primeira', 201],
      ['Segunda', 200],
    ] as const) {
      const body = JSON.stringify({ id, title, body: 'Segue.' });
      const response = await send('PUT', path, 'application/json', body);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual([{ title }]);
    }
  });

  test('CSV inserts rows', async () => {
    const csv = 'title,body\n"Guia, DAS",Segue.\nBoleto,Pague.\n';
    const response = await send('POST', 'saved_replies?select=title', 'text/csv', csv);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual([{ title: 'Guia, DAS' }, { title: 'Boleto' }]);
  });
});
