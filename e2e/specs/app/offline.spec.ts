// Behavior without a network and without a server.

import { expect } from '@playwright/test';

import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { unwrap } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { addTicket } from '../../helpers/tickets.ts';

test.use({ serviceWorkers: 'allow' });

const TEXT = { bytes: new TextEncoder().encode('É o texto.'), mimeType: 'text/plain' };

test('offline › the cached shell opens, reports the lost connection, and loads when it returns', async ({
  context,
  page,
  app,
}) => {
  const person = await app.newClient('Ulisses Braga');
  await seedDocument(app, person, { name: 'Contrato de locação', folder: 'contratos' });
  await submitClientSignIn(page, person);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);

  await context.setOffline(true);
  await page.goto('/documents');
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Documentos' })).toBeVisible();
  await expect(page.getByText('Sem conexão com a internet.')).toBeVisible();
  await expect(page.getByText('Contratos')).toBeHidden();
  await context.setOffline(false);
  await expect(page.getByRole('link', { name: /Contratos/ })).toContainText('1 documento');
  await expect(page.getByText('Sem conexão com a internet.')).toBeHidden();
});

test('offline › the browser caches no personal data', async ({ page, app }) => {
  const person = await app.newClient('Vera Fontes');
  const id = await seedDocument(app, person, { name: 'Segredo' });
  await submitClientSignIn(page, person);
  await page.evaluate(() => navigator.serviceWorker.ready);
  for (const path of ['/', '/documents', `/documents/view/${id}`, '/calendar']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
  }
  const cachedPaths = await page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    }
    return paths;
  });
  expect(cachedPaths.length).toBeGreaterThan(10);
  expect(
    cachedPaths.filter((path) => !/^\/(?:assets\/.*|config\.json|boot\.js|favicon\.svg)?$/.test(path)),
  ).toEqual([]);
});

test('server down › is reported until the server answers', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Wilma Castro'));
  // The service worker controls the page after the first visit.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await app.portaria.stopServer();
  await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
  await expect(page.getByText('O servidor não está respondendo.')).toBeVisible();
  await expect(page.getByText('Erro de Conexão')).toBeVisible();
  await expect(page.getByText('Não foi possível carregar os dados do servidor.').first()).toBeVisible();
  await app.portaria.startServer();
  await expect(page.getByRole('link', { name: /Contratos/ })).toBeVisible();
  await expect(page.getByText('O servidor não está respondendo.')).toBeHidden();
});

test('offline › a change fails at once and is not repeated later', async ({ context, page, app }) => {
  const client = await app.newClient('Wagner Prado');
  const id = await addTicket(app.portaria, client, { subject: 'Fica aberto' });
  await submitClientSignIn(page, client);
  await page.goto(`/tickets/${id}`);
  await page.getByRole('button', { name: 'Fechar' }).click();
  const question = page.getByRole('alertdialog', { name: 'Fechar ticket' });
  await context.setOffline(true);
  await question.getByRole('button', { name: 'Fechar ticket' }).click();
  await expect(page.getByText('Sem conexão com o servidor.')).toBeVisible();
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await expect(question).toBeHidden();
  const close = page.getByRole('button', { name: 'Fechar' });
  await expect(close).toBeDisabled();
  await expect(page.getByText('Precisa de conexão')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Sem conexão com a internet.')).toBeHidden();
  await expect(close).toBeEnabled();
  await page.waitForLoadState('networkidle');
  expect((await unwrap(app.admin.from('tickets').select('status').eq('id', id).single())).status).toBe(
    'open',
  );
});

test('offline › a document being read is not downloaded again on reconnection', async ({
  context,
  page,
  app,
}) => {
  const client = await app.newClient('Wesley Ramos');
  const id = await seedDocument(app, client, { name: 'Aberto', type: 'txt', file: TEXT });
  await submitClientSignIn(page, client);
  await page.goto(`/documents/view/${id}`);
  await expect(page.getByText('É o texto.')).toBeVisible();
  await page.waitForLoadState('networkidle');
  const requestedPaths: string[] = [];
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
  await context.setOffline(true);
  await context.setOffline(false);
  await expect.poll(() => requestedPaths).toContain('/rest/v1/documents');
  await page.waitForLoadState('networkidle');
  expect(requestedPaths.filter((path) => path.startsWith('/storage/'))).toEqual([]);
});

test('server down › an unreachable portal offers a retry and retries by itself', async ({ page }) => {
  let isDown = true;
  for (const path of ['**/config.json', '**/health']) {
    await page.route(path, (route) => (isDown ? route.abort() : route.continue()));
  }
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Não foi possível abrir a página' })).toBeVisible();
  await expect(page.getByText('Sem conexão com o servidor.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
  isDown = false;
  await expect(page.getByRole('heading', { name: 'Acesso Cliente' })).toBeVisible();
});

test('server down › a session that cannot be renewed is kept, and the page opens', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Xisto Arruda'));
  // First, because the open page refreshes an expired session as well.
  let isDown = true;
  for (const path of ['**/auth/v1/**', '**/health']) {
    await page.route(path, (route) => (isDown ? route.abort() : route.continue()));
  }
  await page.evaluate(() => {
    const session: { expires_at: number } = JSON.parse(localStorage.getItem('portaria-auth') ?? '{}');
    session.expires_at = 1;
    localStorage.setItem('portaria-auth', JSON.stringify(session));
  });
  await page.goto('/documents');
  await expect(page.getByRole('heading', { level: 1, name: 'Documentos' })).toBeVisible();
  await expect(page.getByText('O servidor não está respondendo.')).toBeVisible();
  isDown = false;
  await expect(page.getByRole('link', { name: /Contratos/ })).toBeVisible();
  await expect(page.getByText('O servidor não está respondendo.')).toBeHidden();
  await expect(page).toHaveURL('/documents');
});

test("installation › the manifest has the office's name and valid icons", async ({ page }) => {
  await page.goto('/login');
  const href = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifest: { name: string; icons: { src: string; sizes: string }[] } = await (
    await page.request.get(href ?? '')
  ).json();
  expect(manifest.name).toBe('Portaria');
  for (const { src, sizes } of manifest.icons) {
    const [width = ''] = sizes.split('x');
    const actualWidth = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      return image.naturalWidth;
    }, src);
    expect(actualWidth, src).toBe(Number(width));
  }
});
