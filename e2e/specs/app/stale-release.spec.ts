// A new release: whoever has the portal open goes on, and whoever opens it next has the new one, offline too.

import { createServer, request, type Server } from 'node:http';

import { expect, type Page } from '@playwright/test';

import { freePort } from '../../fixtures/server.ts';
import { submitAdminSignIn, test } from '../../fixtures/test.ts';

test.use({ serviceWorkers: 'allow' });

const OLD_SHELL = 'shell-of-the-last-release';
const OLD_NAME = '-of-old';

test('a new release takes the place of the shell that is kept', async ({ context, app }) => {
  const front = await putInFront(app.portaria.url);
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
    // The browser notices in its own time; whoever comes sooner is one more tab of the old one.
    const visit = async () => {
      const next = await context.newPage();
      await next.goto(`${front.url}/login`);
      const kept = await shells(next);
      await next.close();
      return kept;
    };
    await expect.poll(visit).not.toContain(OLD_SHELL);
    const next = await context.newPage();
    await next.goto(`${front.url}/login`);
    expect(await shells(next)).toHaveLength(1);
    await context.setOffline(true);
    await next.reload();
    await expect(next.getByText('Sem conexão com a internet.')).toBeVisible();
  } finally {
    await front.stop();
  }
});

test('a page of the old release leads to a screen of the new one, and never round and round', async ({
  browser,
  app,
}) => {
  const front = await putInFront(app.portaria.url);
  const context = await browser.newContext({ baseURL: front.url });
  try {
    const page = await context.newPage();
    await submitAdminSignIn(page);
    front.release();
    await page.getByRole('link', { name: 'Administradores' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Administradores' })).toBeVisible();
    await expect(page).toHaveURL('/admin/administrators');

    // A screen that the new release has not either.
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.route(/\/assets\/admin\/folders-/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Pastas' }).click();
    await expect(page.getByRole('heading', { name: 'Não foi possível abrir a página' })).toBeVisible();
    await expect.poll(() => loads).toBe(1);
    // It goes on looking whether the server is there, and finds that it is.
    for (let at = 0; at < 2; at += 1) await page.waitForResponse(/\/health$/, { timeout: 15_000 });
    await expect(page.getByRole('heading', { name: 'Não foi possível abrir a página' })).toBeVisible();
    expect(loads).toBe(1);
  } finally {
    await context.close();
    await front.stop();
  }
});

function shells(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

/**
 * What offices put in front of the portal. Until the release it hands out the files under the names of the last one,
 * which then are gone.
 */
async function putInFront(portal: string) {
  let isReleased = false;
  const front: Server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked;
    const path = isReleased ? url : url.replace(OLD_NAME, '');
    const onward = request(new URL(path, portal), { method, headers: { ...headers, 'accept-encoding': '' } });
    onward.on('response', (found) => {
      const pieces: Buffer[] = [];
      found.on('data', (piece: Buffer) => pieces.push(piece));
      found.on('end', () => {
        const body = Buffer.concat(pieces);
        const { 'content-length': _, etag: __, ...kept } = found.headers;
        answer.writeHead(found.statusCode ?? 502, kept);
        const isNamed = !isReleased && /script|html/.test(found.headers['content-type'] ?? '');
        answer.end(isNamed ? older(body.toString()) : body);
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

/** Whatever names another script has another name itself, so all have. */
function older(text: string): string {
  return text
    .replace(/'shell-[0-9a-f]{16}'/, `'${OLD_SHELL}'`)
    .replaceAll(/-(?=[\w-]{8}\.js\b)/g, `${OLD_NAME}-`);
}
