// A session that ends elsewhere while a client writes: the text is kept for that client.

import { expect, type Page } from '@playwright/test';

import type { Portaria } from '../../fixtures/server.ts';
import { signInAsClient, test } from '../../fixtures/test.ts';
import { type Person, signIn } from '../../helpers/api.ts';
import { addMember } from '../../helpers/members.ts';
import { addTicket, countTickets } from '../../helpers/tickets.ts';

const KEPT = 'Sua sessão terminou. Entre novamente; o que você escreveu foi guardado.';
const UNSENT = 'Você tem um ticket que ainda não foi enviado.';

// The page learns of the end from the request that the test causes: it hears of no changes, and none of its own requests is
// under way.
test.beforeEach(async ({ page }) => {
  await page.routeWebSocket(/\/realtime\//, () => {});
});

test('new ticket › is kept and offered after the next sign-in if the session has ended', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Iolanda Prates');
  await signInAsClient(page, client);
  await page.goto('/tickets/new');
  await writeTicket(page);
  await page.waitForLoadState('networkidle');
  await endOtherSessions(app.portaria, client);
  await submit(page);
  await expect(page).toHaveURL('/login');
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible();
  await expect(page.getByText('Não foi possível criar o ticket. Tente novamente.')).toBeHidden();

  await submitSignIn(page, client);
  await expect(page).toHaveURL('/tickets');
  await expect(page.getByText(UNSENT)).toBeVisible();
  await page.getByRole('link', { name: 'Continuar o ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('Segredo da Iolanda');
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(page.getByText(UNSENT)).toBeHidden();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('new ticket › a kept text is not shown to another person', async ({ page, app }) => {
  const [client, other] = [await app.newClient('Iolanda Prates'), await app.newClient('Juca Estranho')];
  await signInAsClient(page, client);
  await page.goto('/tickets/new');
  await writeTicket(page);
  await page.waitForLoadState('networkidle');
  await endOtherSessions(app.portaria, client);
  await submit(page);
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible();

  await submitSignIn(page, other);
  await expect(page).toHaveURL('/tickets');
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await expect(page.getByText(UNSENT)).toBeHidden();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
  await expect(page.getByText('Segredo da Iolanda')).toBeHidden();
  // The sign-out of another person does not delete it either.
  await page.getByRole('button', { name: /Menu da conta/ }).click();
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  await expect(page).toHaveURL('/login');
  await submitSignIn(page, client);
  await expect(page).toHaveURL('/');
  await page.goto('/tickets');
  await expect(page.getByText(UNSENT)).toBeVisible();
});

test('new ticket › a text for another client of the person waits for that client', async ({ page, app }) => {
  const [client, other] = [await app.newClient('Padaria da Nair'), await app.newClient('Oficina da Nair')];
  await addMember(app, other, client);
  await signInAsClient(page, client);
  await page.getByRole('button', { name: `Cliente: ${client.name}. Trocar` }).click();
  await page.getByRole('menuitemradio', { name: other.name }).click();
  const actsFor = (name: string) => page.getByRole('button', { name: `Cliente: ${name}. Trocar` });
  await expect(actsFor(other.name)).toBeVisible();
  await page.goto('/tickets/new');
  await writeTicket(page);
  await page.waitForLoadState('networkidle');
  await endOtherSessions(app.portaria, client);
  await submit(page);
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible();

  // The next session acts for the person's own account.
  await submitSignIn(page, client);
  await expect(page).toHaveURL('/tickets');
  await expect(actsFor(client.name)).toBeVisible();
  await expect(page.getByText(`Um ticket de ${other.name} ainda não foi enviado.`)).toBeVisible();
  await expect(page.getByText(UNSENT)).toBeHidden();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
  await page.goBack();
  await page.getByRole('button', { name: `Continuar como ${other.name}` }).click();
  await expect(actsFor(other.name)).toBeVisible();
  await expect(page.getByLabel('Assunto')).toHaveValue('Segredo da Iolanda');
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  expect([await countTickets(app.portaria, client), await countTickets(app.portaria, other)]).toEqual([0, 1]);

  // A ticket that was written without a network for the client before waits in the same way, and is sent then.
  await page.evaluate(
    ([key, ticket]) => localStorage.setItem(key, ticket),
    queuedTicket(client.id, 'Escrito no ônibus'),
  );
  await page.goto('/tickets');
  await page.getByRole('button', { name: `Continuar como ${client.name}` }).click();
  await expect(page.getByText('“Escrito no ônibus” foi enviado ao escritório.')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('reply › is kept and offered after the next sign-in if the session has ended', async ({ page, app }) => {
  const client = await app.newClient('Karina Lobo');
  const ticket = await addTicket(app.portaria, client, { subject: 'Alvará' });
  await signInAsClient(page, client);
  await page.goto(`/tickets/${ticket}`);
  await page.getByLabel('Sua mensagem').fill('Segue o que faltava.');
  await page.waitForLoadState('networkidle');
  await endOtherSessions(app.portaria, client);
  await submit(page);
  await expect(page).toHaveURL('/login');
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible();
  await expect(page.locator('[data-slot="toast"]')).toHaveCount(1);
  await submitSignIn(page, client);
  await expect(page).toHaveURL(`/tickets/${ticket}`);
  await expect(page.getByLabel('Sua mensagem')).toHaveValue('Segue o que faltava.');
});

test('session end › promises nothing if no text was kept', async ({ page, app }) => {
  const client = await app.newClient('Lívia Sem Texto');
  await signInAsClient(page, client);
  await page.goto('/tickets');
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await page.waitForLoadState('networkidle');
  await endOtherSessions(app.portaria, client);
  await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Entre novamente para continuar.')).toBeVisible();
  await expect(page.getByText(KEPT)).toBeHidden();
});

test('tickets › counts the tickets that were not sent', async ({ page, app }) => {
  const client = await app.newClient('Mirela Dupla');
  const closed = await addTicket(app.portaria, client, { subject: 'Alvará' });
  await signInAsClient(page, client);
  await page.goto('/tickets/new');
  await writeTicket(page);
  await page.goto(`/tickets/new?continua=${closed}`);
  await page.getByLabel('Assunto').fill('Alvará, de novo');
  await page.goto('/tickets');
  await expect(page.getByText('Você tem 2 tickets que ainda não foram enviados.')).toBeVisible();
  await page.getByRole('link', { name: 'Continuar o mais recente' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('Alvará, de novo');
});

async function writeTicket(page: Page): Promise<void> {
  await page.getByLabel('Assunto').fill('Segredo da Iolanda');
  await page.getByLabel('Mensagem').fill('O banco não aceita o código de barras.');
}

/** Submits the form at once. A page that found the end of the session by itself has none any more. */
async function submit(page: Page): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLButtonElement>('main button[type=submit]')?.click());
}

/** Ends every session of a person, including that of the page. */
async function endOtherSessions(portaria: Portaria, person: Person): Promise<void> {
  const elsewhere = await signIn(portaria, person);
  const { error } = await elsewhere.auth.signOut({ scope: 'global' });
  expect(error).toBeNull();
}

async function submitSignIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

/** The key and the value under which the browser stores a ticket that its account wrote without a network. */
function queuedTicket(client: string, subject: string): [key: string, ticket: string] {
  const values = {
    subject,
    category: 'support',
    priority: 'normal',
    message: 'O banco não aceita o código de barras.',
    follow_up_of_id: null,
    document_id: null,
  };
  const ticket = { key: crypto.randomUUID(), at: Date.now(), client, state: 'waiting', reason: null, values };
  return [`portaria-draft/${client}/queued-ticket/${crypto.randomUUID()}`, JSON.stringify(ticket)];
}
