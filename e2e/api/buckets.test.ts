// Buckets, managed by a program with the service key.

import { beforeAll, describe, expect, test } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { type ApiClient, BUCKET, unwrap, serviceClient, signIn, anonClient } from '../helpers/api.ts';
import { openServer } from './server.ts';

const DENIED = { message: 'new row violates row-level security policy', status: 400, statusCode: '403' };

describe('bucket', () => {
  let portaria: Portaria;
  let storage: ApiClient['storage'];

  beforeAll(async () => {
    portaria = await openServer();
    ({ storage } = serviceClient(portaria));
    return () => portaria.stop();
  });

  const names = async (options: Parameters<typeof storage.listBuckets>[0]): Promise<string[]> =>
    (await unwrap(storage.listBuckets(options))).map(({ id }) => id);

  test('is created, partly updated, emptied and deleted', async () => {
    expect(await unwrap(storage.createBucket('avatares'))).toEqual({ name: 'avatares' });
    expect(await unwrap(storage.getBucket('avatares'))).toMatchObject({
      id: 'avatares',
      name: 'avatares',
      public: false,
      file_size_limit: null,
      allowed_mime_types: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const all = { public: true, fileSizeLimit: '5mb', allowedMimeTypes: ['image/png'] };
    expect(await unwrap(storage.updateBucket('avatares', all))).toEqual({ message: 'Successfully updated' });
    await unwrap(storage.updateBucket('avatares', { public: false }));
    expect(await unwrap(storage.getBucket('avatares'))).toMatchObject({
      public: false,
      file_size_limit: 5_000_000,
      allowed_mime_types: ['image/png'],
    });
    await unwrap(storage.from('avatares').upload('a.png', new Blob(['x'], { type: 'image/png' })));
    expect((await storage.deleteBucket('avatares')).error).toMatchObject({
      message: 'The bucket you tried to delete is not empty',
      statusCode: '409',
    });
    await unwrap(storage.emptyBucket('avatares'));
    expect(await unwrap(storage.from('avatares').list())).toEqual([]);
    expect(await unwrap(storage.deleteBucket('avatares'))).toEqual({ message: 'Successfully deleted' });
    expect((await storage.getBucket('avatares')).error).toMatchObject({
      message: 'Bucket not found',
      status: 400,
      statusCode: '404',
    });
  });

  test('accepts only its MIME types and file sizes', async () => {
    const rules = { public: false, fileSizeLimit: 10, allowedMimeTypes: ['image/*', 'text/plain'] };
    await unwrap(storage.createBucket('regras', rules));
    const files = storage.from('regras');
    await unwrap(files.upload('a.png', 'x', { contentType: 'image/png' }));
    await unwrap(files.upload('a.txt', '0123456789', { contentType: 'text/plain' }));
    for (const body of ['01234567890', new Blob(['01234567890'], { type: 'text/plain' })]) {
      expect((await files.upload('b.txt', body, { contentType: 'text/plain' })).error).toMatchObject({
        message: 'The object exceeded the maximum allowed size',
        status: 400,
        statusCode: '413',
      });
    }
    expect((await files.upload('b.pdf', 'x', { contentType: 'application/pdf' })).error).toMatchObject({
      message: 'mime type application/pdf is not supported',
      status: 400,
      statusCode: '415',
    });
    expect((await unwrap(files.list())).map(({ name }) => name)).toEqual(['a.png', 'a.txt']);
  });

  test('list is searched, sorted and paged', async () => {
    await Promise.all(['lista-c', 'lista-a', 'lista-b'].map((name) => unwrap(storage.createBucket(name))));
    expect(await names({})).toEqual(expect.arrayContaining([BUCKET, 'lista-a']));
    const search = 'lista-';
    expect(await names({ search, sortColumn: 'name' })).toEqual(['lista-a', 'lista-b', 'lista-c']);
    expect(await names({ search, sortColumn: 'name', sortOrder: 'desc', limit: 1, offset: 1 })).toEqual([
      'lista-b',
    ]);
    expect(await names({ search: 'nenhum' })).toEqual([]);
  });

  test('requires a valid and unique name', async () => {
    await unwrap(storage.createBucket('meu'));
    expect((await storage.createBucket('meu')).error).toMatchObject({
      message: 'The resource already exists',
      statusCode: '409',
    });
    for (const name of ['', ' ', 'a/b', 'ação']) {
      expect((await storage.createBucket(name)).error).toMatchObject({ status: 400, statusCode: '400' });
    }
  });

  test('of the documents cannot be deleted or made public', async () => {
    expect((await storage.updateBucket(BUCKET, { public: true })).error).toMatchObject({ statusCode: '403' });
    expect((await storage.deleteBucket(BUCKET)).error).not.toBeNull();
    expect(await unwrap(storage.getBucket(BUCKET))).toMatchObject({ public: false });
  });

  test('is hidden from guests and visible to administrators', async () => {
    const guestStorage = anonClient(portaria).storage;
    expect(await unwrap(guestStorage.listBuckets())).toEqual([]);
    expect((await guestStorage.createBucket('novo')).error).toMatchObject(DENIED);
    expect((await guestStorage.emptyBucket(BUCKET)).error).toMatchObject(DENIED);
    expect((await guestStorage.getBucket(BUCKET)).error).toMatchObject({ statusCode: '404' });
    const admin = (await signIn(portaria, ADMIN)).storage;
    expect((await unwrap(admin.listBuckets())).map(({ id }) => id)).toContain(BUCKET);
  });
});
