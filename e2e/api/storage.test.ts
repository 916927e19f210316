// File operations of the official client: upload, download, list, sign, move, copy and remove.

import { Readable } from 'node:stream';

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import {
  type ApiClient,
  BUCKET,
  unwrap,
  type Seed,
  seedOffice,
  serviceClient,
  signIn,
  anonClient,
} from '../helpers/api.ts';
import { sha256 } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

const TEXT = 'Olá, João.\n';
const BYTES = new TextEncoder().encode(TEXT);

type Files = ReturnType<ApiClient['storage']['from']>;
type Body = Parameters<Files['upload']>[1];

const BODIES: [string, () => Body, string][] = [
  ['a File', () => new File([BYTES], 'a.txt', { type: 'text/plain' }), 'text/plain'],
  ['a Blob', () => new Blob([BYTES], { type: 'text/plain' }), 'text/plain'],
  ['an ArrayBuffer', () => BYTES.slice().buffer, 'text/plain;charset=UTF-8'],
  ['a view', () => BYTES.slice(), 'text/plain;charset=UTF-8'],
  ['a Buffer', () => Buffer.from(BYTES), 'text/plain;charset=UTF-8'],
  ['a string', () => TEXT, 'text/plain;charset=UTF-8'],
  ['a stream', () => new Blob([BYTES]).stream(), 'text/plain;charset=UTF-8'],
  ['a Node stream', () => Readable.from([Buffer.from(BYTES)]), 'text/plain;charset=UTF-8'],
];

describe('file', () => {
  let portaria: Portaria;
  let office: Seed;
  let service: ApiClient;
  let files: Files;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    office = await seedOffice(portaria);
    service = serviceClient(portaria);
    await unwrap(service.storage.createBucket('notas', { public: false }));
    await unwrap(service.storage.createBucket('fotos', { public: true }));
    files = service.storage.from('notas');
  });

  test.each(BODIES)('uploaded as %s is downloaded unchanged', async (kind, body, type) => {
    const path = `entrada/${kind.replaceAll(' ', '-')}.txt`;
    const stored = await unwrap(files.upload(path, body(), { duplex: 'half' }));
    expect(stored).toEqual({ path, id: expect.any(String), fullPath: `notas/${path}` });
    expect(await unwrap(files.info(path))).toMatchObject({
      id: stored.id,
      name: path,
      bucketId: 'notas',
      size: BYTES.length,
      contentType: type,
      cacheControl: 'max-age=3600',
      metadata: {},
    });
    expect(await (await unwrap(files.download(path))).text()).toBe(TEXT);
    expect(await read(await unwrap(files.download(path).asStream()))).toBe(TEXT);
  });

  test('keeps its content type, cache control and metadata', async () => {
    const options = { contentType: 'application/json', cacheControl: '60', metadata: { de: 'João', n: 1 } };
    for (const [path, body] of [
      ['dito/cru.json', '{}'],
      ['dito/formulário.json', new Blob(['{}'], { type: 'application/json' })],
    ] as const) {
      await unwrap(files.upload(path, body, options));
      expect(await unwrap(files.info(path))).toMatchObject({
        contentType: 'application/json',
        cacheControl: 'max-age=60',
        metadata: { de: 'João', n: 1 },
      });
    }
  });

  test('refuses a taken name unless it is replaced', async () => {
    await unwrap(files.upload('nome.txt', 'um'));
    const again = await files.upload('nome.txt', 'dois');
    expect(again.error).toMatchObject({
      name: 'StorageApiError',
      message: 'The resource already exists',
      status: 400,
      statusCode: '409',
    });
    expect(await text(files, 'nome.txt')).toBe('um');
    await unwrap(files.upload('nome.txt', 'três', { upsert: true }));
    expect(await text(files, 'nome.txt')).toBe('três');
    await unwrap(files.update('nome.txt', 'quatro'));
    expect(await text(files, 'nome.txt')).toBe('quatro');
  });

  test('keeps accents, spaces and symbols in its name', async () => {
    const path = 'Declarações/São João & Cia – nº 3 (ção) 😀.txt';
    expect(await unwrap(files.upload(path, TEXT))).toMatchObject({ path, fullPath: `notas/${path}` });
    expect(await text(files, path)).toBe(TEXT);
    expect((await unwrap(files.list('Declarações'))).map(({ name }) => name)).toEqual([
      'São João & Cia – nº 3 (ção) 😀.txt',
    ]);
    expect(await unwrap(files.exists(path))).toBe(true);
    const { signedUrl } = await unwrap(files.createSignedUrl(path, 60));
    expect(await (await fetch(signedUrl)).text()).toBe(TEXT);
  });

  test('that is missing gives an error for each operation', async () => {
    await unwrap(files.upload('aqui.txt', TEXT));
    expect(await files.exists('aqui.txt')).toMatchObject({ data: true, error: null });
    expect((await files.exists('ali.txt')).data).toBe(false);
    const missing = { name: 'StorageApiError', message: 'Object not found', status: 400, statusCode: '404' };
    expect((await files.info('ali.txt')).error).toMatchObject(missing);
    expect((await files.download('ali.txt')).error).toMatchObject({ status: 400 });
    expect((await files.createSignedUrl('ali.txt', 60)).error).toMatchObject(missing);
    expect((await files.move('ali.txt', 'lá.txt')).error).toMatchObject(missing);
    expect((await files.copy('ali.txt', 'lá.txt')).error).toMatchObject(missing);
    expect((await service.storage.from('nenhum').upload('a.txt', TEXT)).error).toMatchObject({
      message: 'Bucket not found',
      statusCode: '404',
    });
    expect((await files.upload('a\u202Eb.txt', TEXT)).error).toMatchObject({
      message: 'Invalid key: a\u202Eb.txt',
      statusCode: '400',
    });
  });

  test('is moved and copied, also to another bucket', async () => {
    await unwrap(files.upload('origem.txt', TEXT, { metadata: { de: 'origem' } }));
    expect(await unwrap(files.copy('origem.txt', 'cópia.txt'))).toEqual({ path: 'notas/cópia.txt' });
    expect(await unwrap(files.copy('origem.txt', 'c.txt', { destinationBucket: 'fotos' }))).toEqual({
      path: 'fotos/c.txt',
    });
    expect(await unwrap(files.move('origem.txt', 'destino.txt'))).toMatchObject({
      message: 'Successfully moved',
    });
    expect((await files.exists('origem.txt')).data).toBe(false);
    expect(await unwrap(files.info('destino.txt'))).toMatchObject({ metadata: { de: 'origem' } });
    expect(await text(files, 'cópia.txt')).toBe(TEXT);
    await unwrap(files.move('destino.txt', 'd.txt', { destinationBucket: 'fotos' }));
    expect(await text(service.storage.from('fotos'), 'd.txt')).toBe(TEXT);
    expect((await files.move('cópia.txt', 'nome.txt')).error).toMatchObject({ statusCode: '409' });
  });

  test('is removed by its full name only', async () => {
    await unwrap(files.upload('fora/a.txt', TEXT));
    await unwrap(files.upload('fora/b.txt', TEXT));
    const removed = await unwrap(files.remove(['fora/a.txt', 'fora/nada.txt', 'fora']));
    expect(removed).toMatchObject([{ name: 'fora/a.txt', id: expect.any(String), bucket_id: 'notas' }]);
    expect((await unwrap(files.list('fora'))).map(({ name }) => name)).toEqual(['b.txt']);
    expect(await unwrap(files.remove(['fora/a.txt']))).toEqual([]);
    expect((await files.remove([])).error).toMatchObject({ statusCode: '400' });
  });

  test('is served whole, in parts and by conditional requests', async () => {
    await unwrap(files.upload('parte.txt', '0123456789'));
    const { signedUrl } = await unwrap(files.createSignedUrl('parte.txt', 60));
    const get = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(signedUrl, { method, headers });
    const whole = await get();
    expect(await whole.text()).toBe('0123456789');
    expect(whole.headers.get('content-length')).toBe('10');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const part = await get({ Range: 'bytes=2-4' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect(await (await get({ Range: 'bytes=-3' })).text()).toBe('789');
    const beyond = await get({ Range: 'bytes=10-' });
    expect([beyond.status, await beyond.json()]).toMatchObject([400, { code: 'InvalidRange' }]);
    expect((await get({ 'If-None-Match': whole.headers.get('etag') ?? '' })).status).toBe(304);
    expect((await get({ 'If-Modified-Since': whole.headers.get('last-modified') ?? '' })).status).toBe(304);
    const head = await get({}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
  });

  test('is public only in a public bucket', async () => {
    const photos = service.storage.from('fotos');
    await unwrap(photos.upload('capa.txt', TEXT));
    const url = photos.getPublicUrl('capa.txt', { download: 'João.txt' }).data.publicUrl;
    const open = await fetch(url);
    expect(await open.text()).toBe(TEXT);
    expect(open.headers.get('content-disposition')).toContain("filename*=UTF-8''Jo%C3%A3o.txt");
    const closed = await fetch(files.getPublicUrl('nome.txt').data.publicUrl);
    expect([closed.status, await closed.json()]).toMatchObject([400, { code: 'NoSuchBucket' }]);
    expect(await (await unwrap(anonClient(portaria).storage.from('fotos').download('capa.txt'))).text()).toBe(
      TEXT,
    );
  });

  test('of another client answers like a missing file', async () => {
    const mariana = (await signIn(portaria, office.mariana)).storage.from(BUCKET);
    const joao = (await signIn(portaria, office.joao)).storage.from(BUCKET);
    const { path, bytes } = office.document;
    const missing = path.replace(office.joao.id, office.mariana.id);
    expect(sha256(await (await unwrap(joao.download(path))).bytes())).toBe(sha256(bytes));
    expect(await unwrap(joao.exists(path))).toBe(true);
    const folder = path.slice(0, path.lastIndexOf('/'));
    expect(await unwrap(joao.list(folder))).toHaveLength(1);
    for (const call of [
      (name: string) => mariana.download(name),
      (name: string) => mariana.info(name),
      (name: string) => mariana.exists(name),
      (name: string) => mariana.createSignedUrl(name, 60),
      (name: string) => mariana.createSignedUrls([name], 60),
      (name: string) => mariana.remove([name]),
      (name: string) => mariana.list(name.slice(0, name.lastIndexOf('/'))),
      (name: string) => mariana.listV2({ prefix: name }),
      (name: string) => mariana.createSignedUploadUrl(name),
      (name: string) => mariana.move(name, `${name}.pdf`),
      (name: string) => mariana.copy(name, `${name}.pdf`),
      (name: string) => mariana.update(name, 'outra'),
    ]) {
      const [foreignResult, missingResult] = [
        JSON.stringify(await call(path)),
        JSON.stringify(await call(missing)),
      ];
      expect(foreignResult.replaceAll(path, '·')).toBe(missingResult.replaceAll(missing, '·'));
    }
    // A client may read its own files and not change them.
    const denied = { message: 'new row violates row-level security policy', statusCode: '403' };
    expect((await joao.update(path, 'outra')).error).toMatchObject(denied);
    expect((await joao.upload(`${folder}/b.pdf`, 'outra')).error).toMatchObject(denied);
    expect(await unwrap(joao.remove([path]))).toEqual([]);
    expect(await unwrap(joao.exists(path))).toBe(true);
  });
});

async function text(files: Files, path: string): Promise<string> {
  return (await unwrap(files.download(path))).text();
}

async function read(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}
