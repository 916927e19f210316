// Signed links, for reading and for uploading, with the official client.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, serviceClient, anonClient } from '../helpers/api.ts';
import { openServer } from './server.ts';

type Files = ReturnType<ApiClient['storage']['from']>;

describe('a signed link', () => {
  let portaria: Portaria;
  let files: Files;
  /** Of somebody without a session. */
  let nobodys: Files;

  beforeAll(async () => {
    portaria = await openServer();
    const { storage } = serviceClient(portaria);
    await unwrap(storage.createBucket('notas', { public: false, fileSizeLimit: '1kb' }));
    files = storage.from('notas');
    nobodys = anonClient(portaria).storage.from('notas');
    await unwrap(files.upload('Declaração.txt', 'um'));
    await unwrap(files.upload('b.txt', 'dois'));
    return () => portaria.stop();
  });

  test.each([
    ['Declaração nº 3 – São João.pdf', 'Declaração nº 3 – São João.pdf'],
    ["d'água & (cópia) 100%.txt", "d'água & (cópia) 100%.txt"],
    [true, 'Declaração.txt'],
  ])('gives the file under the name %s', async (download, name) => {
    const { signedUrl } = await unwrap(files.createSignedUrl('Declaração.txt', 60, { download }));
    const answer = await fetch(signedUrl);
    expect(await answer.text()).toBe('um');
    const disposition = answer.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename="/);
    expect(decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? '')).toBe(name);
    expect(answer.headers.get('expires')).not.toBeNull();
  });

  test('is made for many at once, and says which are not there', async () => {
    const paths = ['b.txt', 'nenhum.txt', 'Declaração.txt'];
    const links = await unwrap(files.createSignedUrls(paths, 60, { download: 'João.txt' }));
    expect(links.map(({ path, error, signedUrl }) => [path, error !== null, Boolean(signedUrl)])).toEqual([
      ['b.txt', false, true],
      ['nenhum.txt', true, false],
      ['Declaração.txt', false, true],
    ]);
    const answers = await Promise.all(
      links.flatMap(({ signedUrl }) => (signedUrl ? [fetch(signedUrl)] : [])),
    );
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['dois', 'um']);
    expect(answers[0]?.headers.get('content-disposition')).toContain("filename*=UTF-8''Jo%C3%A3o.txt");
  });

  test('is for its file, its time and its use', async () => {
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
    expect((await nobodys.uploadToSignedUrl('b.txt', token ?? '', 'x')).error).toMatchObject({
      code: 'InvalidSignature',
    });
    const short = await unwrap(files.createSignedUrl('b.txt', 1));
    await expect
      .poll(() => refusal(short.signedUrl), { timeout: 5000 })
      .toMatchObject([400, { code: 'InvalidJWT', message: '"exp" claim timestamp check failed' }]);
  });

  test('lets somebody without a session upload one file', async () => {
    const path = 'caixa/São João.txt';
    const link = await unwrap(files.createSignedUploadUrl(path));
    expect(link.path).toBe(path);
    const stored = await unwrap(
      nobodys.uploadToSignedUrl(path, link.token, new File(['três'], 'x.txt', { type: 'text/plain' })),
    );
    expect(stored).toMatchObject({ path, fullPath: `notas/${path}` });
    expect(await (await unwrap(files.download(path))).text()).toBe('três');
    const twice = await nobodys.uploadToSignedUrl(path, link.token, 'quatro');
    expect(twice.error).toMatchObject({ message: 'The resource already exists', statusCode: '409' });
    expect((await files.createSignedUploadUrl(path)).error).toMatchObject({ statusCode: '409' });
    const replacing = await unwrap(files.createSignedUploadUrl(path, { upsert: true }));
    await unwrap(nobodys.uploadToSignedUrl(path, replacing.token, 'quatro'));
    expect(await (await unwrap(files.download(path))).text()).toBe('quatro');
    expect((await nobodys.uploadToSignedUrl('outra.txt', replacing.token, 'x')).error).toMatchObject({
      code: 'InvalidSignature',
    });
    expect((await nobodys.uploadToSignedUrl(path, replacing.token, 'x'.repeat(1001))).error).toMatchObject({
      message: 'The object exceeded the maximum allowed size',
      status: 400,
      statusCode: '413',
    });
  });
});

/** With what a link is refused. */
async function refusal(url: string): Promise<[number, unknown]> {
  const answer = await fetch(url);
  return [answer.status, await answer.json()];
}
