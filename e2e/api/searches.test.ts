// Regular expressions, containment and text search with the official client.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, expectOk, type Seed, seedOffice, signIn, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

let portaria: Portaria;
let office: Seed;
let joao: ApiClient;

beforeAll(async () => {
  portaria = await openServer();
  office = await seedOffice(portaria);
  joao = await signIn(portaria, office.joao);
  const { id, folder } = office.document;
  await expectOk(office.admin.from('documents').update({ name: 'Declaração de imposto 2026' }).eq('id', id));
  const row = { client_id: office.mariana.id, folder_id_supabase: folder, name: 'Declaração de Mariana' };
  await expectOk(office.admin.from('documents').insert(row));
  return () => portaria.stop();
});

const names = (rows: { name: string }[]): string[] => rows.map(({ name }) => name);
const documents = () => joao.from('documents').select('name');
const own = ['Declaração de imposto 2026'];

describe('filters that search', () => {
  test('regexMatch and regexIMatch', async () => {
    expect(names(await unwrap(documents().regexMatch('name', String.raw`^\w+ de imposto \d{4}$`)))).toEqual(
      own,
    );
    expect(names(await unwrap(documents().regexMatch('name', '^declaração')))).toEqual([]);
    expect(names(await unwrap(documents().regexIMatch('name', '^DECLARAÇÃO')))).toEqual(own);
    const { error } = await documents().regexMatch('name', '(');
    expect(error?.code).toBe('2201B');
  });

  test('contains and containedBy on JSON', async () => {
    const clients = () => office.admin.from('clients').select('email');
    const found = [{ email: office.joao.email }];
    const name = { full_name: office.joao.name };
    expect(await unwrap(clients().contains('user_metadata', name))).toEqual(found);
    expect(
      await unwrap(clients().contains('user_metadata->full_name', JSON.stringify(office.joao.name))),
    ).toEqual(found);
    expect(
      await unwrap(clients().containedBy('user_metadata->full_name', JSON.stringify([office.joao.name]))),
    ).toEqual(found);
  });

  test.each([
    ['declaracoes & impostos', {}],
    ['impostos declaracao', { type: 'plain', config: 'portuguese' }],
    ['declaração de imposto', { type: 'phrase' }],
    ['"declaração de imposto" -guia', { type: 'websearch', config: 'portuguese' }],
  ] as const)('textSearch %s', async (query, options) => {
    expect(
      names(await unwrap(joao.from('documents').select('name').textSearch('name', query, options))),
    ).toEqual(own);
  });
});
