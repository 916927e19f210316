// Resumable uploads of large files, with the tus client that Supabase documents.

import { randomBytes } from 'node:crypto';

import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { accessToken, BUCKET, unwrap, type Seed, seedOffice, serviceClient, signIn } from '../helpers/api.ts';
import { sha256 } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

const CHUNK_BYTES = 6 * 1024 * 1024;
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(9_000_000)]);

describe('resumable upload', () => {
  let portaria: Portaria;
  let office: Seed;
  let token: string;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    office = await seedOffice(portaria);
    token = await accessToken(office.admin);
    await unwrap(
      serviceClient(portaria).storage.createBucket('notas', { public: false, fileSizeLimit: '2mb' }),
    );
  });

  const options = (objectName: string, more: Partial<UploadOptions> = {}): UploadOptions => ({
    endpoint: `${portaria.url}/storage/v1/upload/resumable`,
    chunkSize: CHUNK_BYTES,
    retryDelays: null,
    uploadDataDuringCreation: true,
    headers: { authorization: `Bearer ${token}`, 'x-upsert': 'false' },
    metadata: {
      bucketName: BUCKET,
      objectName,
      contentType: 'application/pdf',
      cacheControl: '3600',
      metadata: JSON.stringify({ de: 'João' }),
    },
    ...more,
  });
  const document = (name: string): string => `public/${office.joao.id}/${office.document.folder}/${name}`;
  const stored = async (path: string): Promise<Uint8Array> =>
    (await unwrap(office.admin.storage.from(BUCKET).download(path))).bytes();

  test('stores a file sent in chunks', async () => {
    const path = document('1-Declaração grande.pdf');
    const chunks: number[] = [];
    await send(PDF, options(path, { onChunkComplete: (size) => chunks.push(size) }));
    expect(chunks).toEqual([CHUNK_BYTES, PDF.length - CHUNK_BYTES]);
    expect(sha256(await stored(path))).toBe(sha256(PDF));
    expect(await unwrap(office.admin.storage.from(BUCKET).info(path))).toMatchObject({
      size: PDF.length,
      contentType: 'application/pdf',
      cacheControl: 'max-age=3600',
      metadata: { de: 'João' },
    });
    expect(await refusal(PDF, options(path))).toMatchObject({ status: 409, code: 'KeyAlreadyExists' });
    const replaced = Buffer.concat([PDF, Buffer.from('%')]);
    await send(
      replaced,
      options(path, { headers: { authorization: `Bearer ${token}`, 'x-upsert': 'true' } }),
    );
    expect(sha256(await stored(path))).toBe(sha256(replaced));
  });

  test('resumes after an interruption', async () => {
    const path = document('2-interrompido.pdf');
    const url = await sendFirstChunk(PDF, options(path));
    const status = await fetch(url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' },
    });
    const offset = Number(status.headers.get('upload-offset'));
    expect(offset).toBe(CHUNK_BYTES);
    expect((await office.admin.storage.from(BUCKET).exists(path)).data).toBe(false);
    const sent: number[] = [];
    await send(PDF, options(path, { uploadUrl: url, onChunkComplete: (size) => sent.push(size) }));
    expect(sent.reduce((sum, size) => sum + size, 0)).toBe(PDF.length - offset);
    expect(sha256(await stored(path))).toBe(sha256(PDF));
  });

  test('is gone after its sender ends it', async () => {
    const path = document('6-desistência.pdf');
    const url = await sendFirstChunk(PDF, options(path));
    await Upload.terminate(url, options(path));
    const status = await fetch(url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' },
    });
    expect(status.status).toBe(404);
  });

  test('needs only the token of a signed upload', async () => {
    const path = document('1b-assinado.pdf');
    const { token: signature } = await unwrap(office.admin.storage.from(BUCKET).createSignedUploadUrl(path));
    const signed = {
      endpoint: `${portaria.url}/storage/v1/upload/resumable/sign`,
      headers: { 'x-signature': signature },
    };
    await send(PDF, options(path, signed));
    expect(sha256(await stored(path))).toBe(sha256(PDF));
    const other = document('1c-outro.pdf');
    expect(await refusal(PDF, options(other, signed))).toMatchObject({
      status: 400,
      code: 'InvalidSignature',
    });
  });

  test('accepts a chunk only at the current offset', async () => {
    const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
    const pairs = { bucketName: 'notas', objectName: 'a.txt', contentType: 'text/plain' };
    const created = await fetch(`${portaria.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'upload-length': '8',
        'upload-metadata': Object.entries(pairs)
          .map(([key, value]) => `${key} ${btoa(value)}`)
          .join(','),
      },
    });
    expect(created.status).toBe(201);
    const url = new URL(created.headers.get('location') ?? '', portaria.url);
    const patch = (offset: number, body: string) =>
      fetch(url, {
        method: 'PATCH',
        headers: {
          ...headers,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body,
      });
    expect((await patch(4, 'five')).status).toBe(409);
    expect((await patch(0, 'much too long')).status).toBe(413);
    expect((await patch(0, 'four')).headers.get('upload-offset')).toBe('4');
    expect((await patch(0, 'four')).status).toBe(409);
    expect((await patch(4, 'five')).status).toBe(204);
    expect(await (await unwrap(serviceClient(portaria).storage.from('notas').download('a.txt'))).text()).toBe(
      'fourfive',
    );
  });

  test('is refused before its first byte for size, type, bucket or missing rights', async () => {
    const metadata = { bucketName: 'notas', objectName: 'b.bin', contentType: 'text/plain' };
    const large = await refusal(Buffer.alloc(2_000_001), options('', { metadata }));
    expect(large).toMatchObject({ status: 413, code: 'EntityTooLarge' });
    expect(await refusal(PDF, options(document('3-programa.exe')))).toMatchObject({
      status: 415,
      code: 'InvalidMimeType',
    });
    const nowhere = { ...metadata, bucketName: 'nenhum' };
    expect(await refusal(PDF, options('', { metadata: nowhere }))).toMatchObject({
      status: 404,
      code: 'NoSuchBucket',
    });
    const joao = await accessToken(await signIn(portaria, office.joao));
    const headers = { authorization: `Bearer ${joao}` };
    expect(await refusal(PDF, options(document('4.pdf'), { headers }))).toMatchObject({
      status: 403,
      code: 'AccessDenied',
    });
  });

  test('is refused with its last byte if the content contradicts the name', async () => {
    const path = document('5-programa.pdf');
    const exe = Buffer.concat([Buffer.from('MZ\u0090\u0000', 'latin1'), Buffer.alloc(100)]);
    expect(await refusal(exe, options(path))).toMatchObject({ status: 415, code: 'InvalidMimeType' });
    expect((await office.admin.storage.from(BUCKET).exists(path)).data).toBe(false);
  });
});

function send(file: Buffer, options: UploadOptions): Promise<void> {
  return new Promise((done, fail) => {
    new Upload(file, { ...options, onSuccess: () => done(), onError: fail }).start();
  });
}

/** Interrupts an upload after its first chunk and returns its address. */
function sendFirstChunk(file: Buffer, options: UploadOptions): Promise<string> {
  return new Promise((done, fail) => {
    const upload: Upload = new Upload(file, {
      ...options,
      onError: fail,
      onChunkComplete: () => done(upload.abort().then(() => upload.url ?? '')),
    });
    upload.start();
  });
}

/** The status and the code with which the server refuses an upload. */
async function refusal(file: Buffer, options: UploadOptions): Promise<{ status: number; code: string }> {
  const error = await send(file, options).then(
    () => undefined,
    (failed: DetailedError) => failed,
  );
  if (!error?.originalResponse) {
    throw new Error('The upload was not refused.', { cause: error });
  }
  const { code }: { code: string } = JSON.parse(error.originalResponse.getBody());
  return { status: error.originalResponse.getStatus(), code };
}
