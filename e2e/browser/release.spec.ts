// A new release: whoever has the portal open goes on, and whoever opens it next has the new one, offline too.

import { createServer, request, type Server } from 'node:http';

import { expect, type Page } from '@playwright/test';

import { freePort } from '../server.ts';
import { test } from './test.ts';

test.use({ serviceWorkers: 'allow' });

const OLD_SHELL = 'shell-of-the-last-release';

test('a new release takes the place of the shell that is kept', async ({ context, world }) => {
  const front = await putInFront(world.portaria.url);
  try {
    const page = await context.newPage();
    await page.goto(`${front.url}/login`);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await expect.poll(() => shells(page)).toEqual([OLD_SHELL]);

    front.release();
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    // The new one is there, and waits: nothing changes under somebody who is at work.
    await expect.poll(() => shells(page)).toHaveLength(2);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
    expect(await shells(page)).toContain(OLD_SHELL);

    // The last tab of the old one is closed.
    await page.goto('about:blank');
    await page.close();
    const next = await context.newPage();
    await next.goto(`${front.url}/login`);
    await expect.poll(() => shells(next)).not.toContain(OLD_SHELL);
    expect(await shells(next)).toHaveLength(1);
    await context.setOffline(true);
    await next.reload();
    await expect(next.getByText('Sem conexão com a internet.')).toBeVisible();
  } finally {
    await front.stop();
  }
});

function shells(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

/** What offices put in front of the portal. Until the release it hands out the worker as the last release named its shell. */
async function putInFront(portal: string) {
  let isReleased = false;
  const front: Server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked;
    const onward = request(new URL(url, portal), { method, headers: { ...headers, 'accept-encoding': '' } });
    onward.on('response', (found) => {
      const pieces: Buffer[] = [];
      found.on('data', (piece: Buffer) => pieces.push(piece));
      found.on('end', () => {
        const body = Buffer.concat(pieces);
        const { 'content-length': _, etag: __, ...kept } = found.headers;
        answer.writeHead(found.statusCode ?? 502, kept);
        answer.end(url === '/sw.js' && !isReleased ? older(body.toString()) : body);
      });
    });
    asked.pipe(onward);
  });
  const port = await freePort();
  await new Promise<void>((ready) => front.listen(port, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${port}`,
    release: () => {
      isReleased = true;
    },
    stop: () => new Promise<unknown>((done) => front.close(done).closeAllConnections()),
  };
}

function older(script: string): string {
  const named = script.replace(/'shell-[0-9a-f]{16}'/, `'${OLD_SHELL}'`);
  expect(named).not.toBe(script);
  return named;
}
