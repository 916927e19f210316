// A ticket that is written without a network: it is kept in the browser, and sent once when the network returns.

import { type BrowserContext, expect, type Page } from '@playwright/test';

import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, type Person, serviceClient, signIn } from '../../helpers/api.ts';
import { storedText } from '../../helpers/browser-storage.ts';
import { countTickets } from '../../helpers/tickets.ts';

test.use({ serviceWorkers: 'allow' });

const SUBJECT = 'Escrito no ônibus';
const MESSAGE = 'O banco não aceita o código de barras.';
const WAITS = 'Será enviado quando houver conexão';

const inserts = (url: string, method: string) => method === 'POST' && url.includes('/rest/v1/tickets');

test('offline ticket › is kept, and sent once when the network returns', async ({ context, page, app }) => {
  const client = await app.newClient('Heloísa Paranhos');
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  await expect(page.getByText('Arquivos não são guardados')).toBeVisible();
  await expect(page.getByText('Anexos (opcional)')).toBeHidden();
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.getByText('Ticket guardado')).toBeVisible();
  const kept = page.getByRole('list', { name: 'Tickets guardados neste aparelho' });
  await expect(kept).toContainText(SUBJECT);
  await expect(kept).toContainText(WAITS);
  await expectAccessible(page);
  // Another tab sends nothing in addition.
  const other = await context.newPage();
  await other.goto('/tickets');
  await expect(other.getByText(WAITS)).toBeVisible();

  await context.setOffline(false);
  await expect(page.getByRole('article')).toContainText(SUBJECT);
  await expect(kept).toBeHidden();
  await expect(other.getByRole('article')).toContainText(SUBJECT);
  await expect(other.getByText(WAITS)).toBeHidden();
  expect(await countTickets(app.portaria, client)).toBe(1);
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page.getByRole('article')).toContainText(MESSAGE);
});

test('offline ticket › is sent after the tab was closed, by the next page that opens', async ({
  context,
  page,
  app,
}) => {
  const client = await app.newClient('Inácio Boaventura');
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page.getByText(WAITS)).toBeVisible();
  await page.close();
  await context.setOffline(false);
  const next = await context.newPage();
  await next.goto('/calendar');
  await expect(next.getByText('Ticket criado')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('offline ticket › a lost answer does not create a second ticket', async ({ context, page, app }) => {
  const client = await app.newClient('Jandira Falcão');
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page.getByText(WAITS)).toBeVisible();
  // The server creates the ticket, the answer is lost, and so is the network.
  const lost = Promise.withResolvers<void>();
  await context.route('**/rest/v1/tickets?*', async (route) => {
    if (!inserts(route.request().url(), route.request().method())) return route.continue();
    await route.fetch();
    await context.setOffline(true);
    await route.abort();
    lost.resolve();
  });
  await context.setOffline(false);
  await lost.promise;
  await expect(page.getByText('O envio já começou.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Editar' })).toBeHidden();
  expect(await countTickets(app.portaria, client)).toBe(1);
  await context.unroute('**/rest/v1/tickets?*');
  await context.setOffline(false);
  await expect(page.getByRole('article')).toContainText(SUBJECT);
  await expect(page.getByText('O envio já começou.')).toBeHidden();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('offline ticket › is edited and deleted before it is sent', async ({ context, page, app }) => {
  const client = await app.newClient('Laércio Pimentel');
  await openOffline(context, page, client);
  for (const subject of ['Apague este', SUBJECT]) {
    await write(page, subject);
    await page.getByRole('button', { name: 'Guardar para enviar' }).click();
    await expect(page.getByRole('heading', { name: subject })).toBeVisible();
    await page.getByRole('link', { name: 'Novo Ticket' }).click();
  }
  await page.getByRole('link', { name: 'Cancelar' }).click();
  const card = (subject: string) => page.getByRole('listitem').filter({ hasText: subject });
  await card('Apague este').getByRole('button', { name: 'Excluir' }).click();
  await page.getByRole('button', { name: 'Excluir ticket' }).click();
  await expect(card('Apague este')).toBeHidden();
  await card(SUBJECT).getByRole('button', { name: 'Editar' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue(SUBJECT);
  await page.getByLabel('Mensagem').fill('Agora com outro texto.');
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(card(SUBJECT)).toContainText('Agora com outro texto.');
  await context.setOffline(false);
  await expect(page.getByRole('article')).toContainText('Agora com outro texto.');
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('offline ticket › what the server refuses stays, with the reason and a way on', async ({
  context,
  page,
  app,
}) => {
  const client = await app.newClient('Marilda Conrado');
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page.getByText(WAITS)).toBeVisible();
  await context.route('**/rest/v1/tickets?*', (route) =>
    inserts(route.request().url(), route.request().method())
      ? route.fulfill({ status: 400, json: { code: '23514', message: 'violates check constraint' } })
      : route.continue(),
  );
  await context.setOffline(false);
  await expect(page.getByText('Não foi enviado')).toBeVisible();
  await expect(page.getByText('Um dos campos tem um valor que não é aceito.')).toBeVisible();
  await context.unroute('**/rest/v1/tickets?*');
  // It is not tried again by itself.
  await page.reload();
  await expect(page.getByText('Não foi enviado')).toBeVisible();
  await page.getByRole('button', { name: 'Editar' }).click();
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByRole('article')).toContainText(SUBJECT);
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('offline ticket › waits for the next sign-in if the session has ended', async ({
  context,
  page,
  app,
}) => {
  const client = await app.newClient('Nestor Vilela');
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page.getByText(WAITS)).toBeVisible();
  const session = await signIn(app.portaria, client);
  await session.auth.signOut({ scope: 'others' });
  await context.setOffline(false);
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('o que você escreveu foi guardado')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(0);
  expect(await storedText(page)).not.toContain(client.id);
  await submitSignIn(page, client);
  await expect(page.getByText('Ticket criado')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('offline ticket › the sign-out asks, and deletes it', async ({ context, page, app }) => {
  const [client, other] = [await app.newClient('Olga Santiago'), await app.newClient('Péricles Lima')];
  await openOffline(context, page, client);
  await write(page, SUBJECT);
  // The network returns, but the server takes no ticket.
  await context.route('**/rest/v1/tickets?*', (route) =>
    inserts(route.request().url(), route.request().method()) ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Guardar para enviar' }).click();
  await expect(page.getByText(WAITS)).toBeVisible();
  await context.setOffline(false);
  await page.getByRole('button', { name: /Menu da conta/ }).click();
  await page.getByRole('button', { name: 'Sair' }).click();
  await page
    .getByRole('alertdialog', { name: 'Sair sem enviar?' })
    .getByRole('button', { name: 'Apagar e sair' })
    .click();
  await expect(page).toHaveURL('/login');
  const local = await page.evaluate(() => JSON.stringify(localStorage));
  expect(local).not.toContain(SUBJECT);
  await context.unroute('**/rest/v1/tickets?*');
  await submitSignIn(page, other);
  await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await expect(page.getByText(SUBJECT)).toBeHidden();
  const { count } = await expectOk(
    serviceClient(app.portaria)
      .from('tickets')
      .select('*', { count: 'exact', head: true })
      .eq('subject', SUBJECT)
      .eq('user_id', client.id),
  );
  expect(count).toBe(0);
});

/** Signs in, sees the list of tickets, and loses the network. */
async function openOffline(context: BrowserContext, page: Page, client: Person): Promise<void> {
  await submitClientSignIn(page, client);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.goto('/tickets');
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await expect.poll(() => storedText(page)).toContain('is_active');
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await context.setOffline(true);
  await page.goto('/tickets/new');
}

async function write(page: Page, subject: string): Promise<void> {
  await page.getByLabel('Assunto').fill(subject);
  await page.getByLabel('Prioridade').selectOption('Alta');
  await page.getByLabel('Mensagem').fill(MESSAGE);
}

async function submitSignIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}
