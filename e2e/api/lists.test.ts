// Both listing methods of the official client.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, serviceClient } from '../helpers/api.ts';
import { openServer } from './server.ts';

type Files = ReturnType<ApiClient['storage']['from']>;
type ListOptions = NonNullable<Parameters<Files['list']>[1]>;

describe('list of files', () => {
  let portaria: Portaria;
  let files: Files;

  beforeAll(async () => {
    portaria = await openServer();
    const { storage } = serviceClient(portaria);
    await unwrap(storage.createBucket('notas'));
    files = storage.from('notas');
    // Not in the order of the names.
    await unwrap(files.upload('pasta/c.txt', 'ccc'));
    await unwrap(files.upload('pasta/a.txt', 'a'));
    await unwrap(files.upload('pasta/Ébano.txt', 'bb'));
    await unwrap(files.upload('pasta/sub/d.txt', 'd'));
    await unwrap(files.upload('raiz_1.txt', 'r'));
    return () => portaria.stop();
  });

  const names = async (prefix?: string, options?: ListOptions): Promise<string[]> =>
    (await unwrap(files.list(prefix, options))).map(({ name }) => name);

  test('shows folders and files of one level', async () => {
    const [folder, file] = await unwrap(files.list());
    expect(folder).toEqual({
      name: 'pasta',
      id: null,
      updated_at: null,
      created_at: null,
      last_accessed_at: null,
      metadata: null,
    });
    expect(file).toMatchObject({
      name: 'raiz_1.txt',
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      metadata: {
        size: 1,
        contentLength: 1,
        mimetype: 'text/plain;charset=UTF-8',
        cacheControl: 'max-age=3600',
        httpStatusCode: 200,
        eTag: expect.any(String),
        lastModified: expect.any(String),
      },
    });
  });

  test('is sorted and paged', async () => {
    const sorted = (column: string, order: string) => names('pasta', { sortBy: { column, order } });
    const byName = await names('pasta');
    expect(byName.toSorted()).toEqual(['a.txt', 'c.txt', 'sub', 'Ébano.txt'].toSorted());
    expect(await sorted('name', 'desc')).toEqual(byName.toReversed());
    const creationOrder = ['c.txt', 'a.txt', 'Ébano.txt'];
    expect((await sorted('created_at', 'asc')).filter((name) => name !== 'sub')).toEqual(creationOrder);
    expect((await sorted('created_at', 'desc')).filter((name) => name !== 'sub')).toEqual(
      creationOrder.toReversed(),
    );
    expect(await names('pasta', { limit: 2 })).toEqual(byName.slice(0, 2));
    expect(await names('pasta', { limit: 2, offset: 1 })).toEqual(byName.slice(1, 3));
    expect(await names('pasta', { offset: 10 })).toEqual([]);
  });

  test('is searched by literal name prefix', async () => {
    expect(await names('pasta', { search: 'c' })).toEqual(['c.txt']);
    expect(await names('pasta', { search: 'C' })).toEqual(['c.txt']);
    expect(await names('', { search: 'raiz_1' })).toEqual(['raiz_1.txt']);
    expect(await names('pasta', { search: '%' })).toEqual([]);
    expect(await names('past')).toEqual([]);
    expect(await names('nenhuma')).toEqual([]);
    expect(await unwrap(serviceClient(portaria).storage.from('outro').list())).toEqual([]);
  });

  test('version 2 continues from a cursor', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await unwrap(files.listV2({ limit: 2, ...(cursor !== undefined && { cursor }) }));
      found.push(...page.objects.map(({ name }) => name));
      expect(page.hasNext).toBe(page.nextCursor !== undefined);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(['pasta/a.txt', 'pasta/c.txt', 'pasta/sub/d.txt', 'pasta/Ébano.txt', 'raiz_1.txt']);
    const level = await unwrap(files.listV2({ prefix: 'pasta/', with_delimiter: true }));
    expect(level.folders).toMatchObject([{ name: 'pasta/sub/', key: 'sub' }]);
    expect(level.objects).toHaveLength(3);
  });
});
