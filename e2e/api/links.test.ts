// Signed links for downloads and uploads.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, serviceClient, anonClient } from '../helpers/api.ts';
import { openServer } from './server.ts';

type Files = ReturnType<ApiClient['storage']['from']>;

describe('signed link', () => {
  let portaria: Portaria;
  let files: Files;
  /** Client without a session. */
  let guestFiles: Files;

  beforeAll(async () => {
    portaria = await openServer();
    const { storage } = serviceClient(portaria);
    await unwrap(storage.createBucket('notas', { public: false, fileSizeLimit: '1kb' }));
    files = storage.from('notas');
    guestFiles = anonClient(portaria).storage.from('notas');
    await unwrap(files.upload('Declaração.txt', 'um'));
    await unwrap(files.upload('b.txt', 'dois'));
    return () => portaria.stop();
  });

  test.each([
    ['Declaração nº 3 – São João.pdf', 'Declaração nº 3 – São João.pdf'],
    ["d'água & (cópia) 100%.txt", "d'água & (cópia) 100%.txt"],
    [true, 'Declaração.txt'],
  ])('serves the file under the name %s', async (download, name) => {
    const { signedUrl } = await unwrap(files.createSignedUrl('Declaração.txt', 60, { download }));
    const response = await fetch(signedUrl);
    expect(await response.text()).toBe('um');
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename=/);
    expect(decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? '')).toBe(name);
    expect(response.headers.get('expires')).not.toBeNull();
  });

  test('is created for several files, with an error for each missing one', async () => {
    const paths = ['b.txt', 'nenhum.txt', 'Declaração.txt'];
    const links = await unwrap(files.createSignedUrls(paths, 60, { download: 'João.txt' }));
    expect(links.map(({ path, error, signedUrl }) => [path, error !== null, Boolean(signedUrl)])).toEqual([
      ['b.txt', false, true],
      ['nenhum.txt', true, false],
      ['Declaração.txt', false, true],
    ]);
    const responses = await Promise.all(
      links.flatMap(({ signedUrl }) => (signedUrl ? [fetch(signedUrl)] : [])),
    );
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(['dois', 'um']);
    expect(responses[0]?.headers.get('content-disposition')).toContain("filename*=UTF-8''Jo%C3%A3o.txt");
  });

  test('is valid only for its file, its time and its purpose', async () => {
    const { signedUrl } = await unwrap(files.createSignedUrl('b.txt', 60));
    expect(await refusal(signedUrl.replace('b.txt', 'a.txt'))).toMatchObject([
      400,
      { code: 'InvalidSignature' },
    ]);
    expect(await refusal(`${signedUrl}x`)).toMatchObject([400, { code: 'InvalidJWT' }]);
    const upload = await unwrap(files.createSignedUploadUrl('b.txt', { upsert: true }));
    expect(await refusal(signedUrl.replace(/token=.*/, `token=${upload.token}`))).toMatchObject([
      400,
      { code: 'InvalidSignature', message: 'Token is not scoped for download' },
    ]);
    const { token } = Object.fromEntries(new URL(signedUrl).searchParams);
    expect((await guestFiles.uploadToSignedUrl('b.txt', token ?? '', 'x')).error).toMatchObject({
      code: 'InvalidSignature',
    });
    const shortLived = await unwrap(files.createSignedUrl('b.txt', 1));
    await expect
      .poll(() => refusal(shortLived.signedUrl), { timeout: 5000 })
      .toMatchObject([400, { code: 'InvalidJWT', message: '"exp" claim timestamp check failed' }]);
  });

  test('lets a guest upload one file', async () => {
    const path = 'caixa/São João.txt';
    const link = await unwrap(files.createSignedUploadUrl(path));
    expect(link.path).toBe(path);
    const stored = await unwrap(
      guestFiles.uploadToSignedUrl(path, link.token, new File(['três'], 'x.txt', { type: 'text/plain' })),
    );
    expect(stored).toMatchObject({ path, fullPath: `notas/${path}` });
    expect(await (await unwrap(files.download(path))).text()).toBe('três');
    const twice = await guestFiles.uploadToSignedUrl(path, link.token, 'quatro');
    expect(twice.error).toMatchObject({ message: 'The resource already exists', statusCode: '409' });
    expect((await files.createSignedUploadUrl(path)).error).toMatchObject({ statusCode: '409' });
    const replacing = await unwrap(files.createSignedUploadUrl(path, { upsert: true }));
    await unwrap(guestFiles.uploadToSignedUrl(path, replacing.token, 'quatro'));
    expect(await (await unwrap(files.download(path))).text()).toBe('quatro');
    expect((await guestFiles.uploadToSignedUrl('outra.txt', replacing.token, 'x')).error).toMatchObject({
      code: 'InvalidSignature',
    });
    expect((await guestFiles.uploadToSignedUrl(path, replacing.token, 'x'.repeat(1001))).error).toMatchObject(
      {
        message: 'The object exceeded the maximum allowed size',
        status: 400,
        statusCode: '413',
      },
    );
  });
});

/** The status and the body of a refused request. */
async function refusal(url: string): Promise<[number, unknown]> {
  const response = await fetch(url);
  return [response.status, await response.json()];
}
