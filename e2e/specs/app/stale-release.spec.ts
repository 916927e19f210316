// A new release while the portal is open: open pages continue, and the next visit loads the new release.

import { createServer, request, type Server } from 'node:http';

import { expect, type Page } from '@playwright/test';

import { freePort } from '../../fixtures/server.ts';
import { submitAdminSignIn, test } from '../../fixtures/test.ts';

test.use({ serviceWorkers: 'allow' });

const OLD_SHELL = 'shell-of-the-last-release';
const OLD_NAME = '-of-old';

test('service worker › a new release replaces the cached shell after the last old tab closes', async ({
  context,
  app,
}) => {
  const proxy = await startProxy(app.portaria.url);
  try {
    const page = await context.newPage();
    await page.goto(`${proxy.url}/login`);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await expect.poll(() => shells(page)).toEqual([OLD_SHELL]);

    proxy.release();
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    // The new worker is installed and waits, so that open pages do not change.
    await expect.poll(() => shells(page)).toHaveLength(2);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
    expect(await shells(page)).toContain(OLD_SHELL);

    // The last tab of the old release closes.
    await page.goto('about:blank');
    await page.close();
    // The browser activates the new worker with a delay. A visit would keep the old one, so the worker itself is asked.
    const kept = () =>
      context
        .serviceWorkers()
        .at(-1)
        ?.evaluate(() => caches.keys());
    await expect.poll(kept).toHaveLength(1);
    const next = await context.newPage();
    await next.goto(`${proxy.url}/login`);
    expect(await shells(next)).toHaveLength(1);
    await context.setOffline(true);
    await next.reload();
    await expect(next.getByText('Sem conexão com a internet.')).toBeVisible();
  } finally {
    await proxy.stop();
  }
});

test('stale page › loads a screen of the new release and never reloads in a loop', async ({
  browser,
  app,
}) => {
  const proxy = await startProxy(app.portaria.url);
  const context = await browser.newContext({ baseURL: proxy.url });
  try {
    const page = await context.newPage();
    await submitAdminSignIn(page);
    // The dashboard loads parts of its own. One that the release removes first would reload the dashboard.
    await expect(page.getByRole('heading', { name: 'Últimas oito semanas' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Notificações' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    proxy.release();
    await page.getByRole('link', { name: 'Administradores' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Administradores' })).toBeVisible();
    await expect(page).toHaveURL('/admin/administrators');

    // A screen that the new release lacks too.
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.route(/\/assets\/admin\/folders-/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Pastas' }).click();
    await expect(page.getByRole('heading', { name: 'Não foi possível abrir a página' })).toBeVisible();
    await expect.poll(() => loads).toBe(1);
    // The page keeps polling the server, which answers.
    for (let poll = 0; poll < 2; poll += 1) await page.waitForResponse(/\/health$/, { timeout: 15_000 });
    await expect(page.getByRole('heading', { name: 'Não foi possível abrir a página' })).toBeVisible();
    expect(loads).toBe(1);
  } finally {
    await context.close();
    await proxy.stop();
  }
});

function shells(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

/**
 * A reverse proxy in front of the portal. Until `release` it serves the files under the names of an old
 * release, which then no longer exist.
 */
async function startProxy(portal: string) {
  let isReleased = false;
  const proxy: Server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    const path = isReleased ? url : url.replace(OLD_NAME, '');
    const upstream = request(new URL(path, portal), {
      method,
      headers: { ...headers, 'accept-encoding': '' },
    });
    upstream.on('response', (upstreamResponse) => {
      const chunks: Buffer[] = [];
      upstreamResponse.on('data', (chunk: Buffer) => chunks.push(chunk));
      upstreamResponse.on('end', () => {
        const body = Buffer.concat(chunks);
        const { 'content-length': _, etag: __, ...headersToCopy } = upstreamResponse.headers;
        outgoing.writeHead(upstreamResponse.statusCode ?? 502, headersToCopy);
        const hasScriptNames =
          !isReleased && /script|html/.test(upstreamResponse.headers['content-type'] ?? '');
        outgoing.end(hasScriptNames ? withOldNames(body.toString()) : body);
      });
    });
    incoming.pipe(upstream);
  });
  const port = await freePort();
  await new Promise<void>((ready) => proxy.listen(port, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${port}`,
    release: () => {
      isReleased = true;
    },
    stop: () => new Promise<unknown>((done) => proxy.close(done).closeAllConnections()),
  };
}

/** Scripts name other scripts, so all names change. */
function withOldNames(text: string): string {
  return text
    .replace(/'shell-[0-9a-f]{16}'/, `'${OLD_SHELL}'`)
    .replaceAll(/-(?=[\w-]{7}\.js\b)/g, `${OLD_NAME}-`);
}
