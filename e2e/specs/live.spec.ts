// Changes of others appear without a reload: the server announces them, and the page reads its queries again.

import { type Browser, expect, type Page } from '@playwright/test';

import { createTestApp, openSession, test, type TestApp } from '../fixtures/test.ts';
import { expectOk, type Person, serviceClient, signIn, unwrap } from '../helpers/api.ts';
import { seedDocument, seedDocuments } from '../helpers/documents.ts';
import { REALTIME } from '../helpers/realtime.ts';
import { addStaffReply, addTicket } from '../helpers/tickets.ts';

/** Shorter than each interval of polling. */
const PROMPT = { timeout: 5_000 };

const bell = (page: Page) => page.getByRole('button', { name: /^Notificações/ });

const findRow = (page: Page, name: string) => page.getByRole('row', { name });

/** Opens a page, and resolves when the server announces changes to it. */
async function openLive(page: Page, path: string): Promise<void> {
  const joined = page
    .waitForEvent('websocket', (socket) => REALTIME.test(socket.url()))
    .then((socket) =>
      socket.waitForEvent('framereceived', ({ payload }) =>
        String(payload).includes('Subscribed to PostgreSQL'),
      ),
    );
  await page.goto(path);
  await joined;
}

type Credentials = Pick<Person, 'email' | 'password'>;

/** A page of another browser, with a session. */
async function openBrowser(browser: Browser, app: TestApp, person?: Credentials): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.portaria.url });
  const page = await context.newPage();
  await openSession(page, person);
  return page;
}

test('live › a client sees a new document, its notification and its withdrawal', async ({ page, app }) => {
  const person = await app.newClient('Padaria Ao Vivo');
  await seedDocument(app, person, { name: 'Guia de outubro' });
  await openSession(page, person);
  await openLive(page, '/documents/faturas');
  await expect(page.getByRole('link', { name: /Guia de outubro/ })).toBeVisible();

  const id = await seedDocument(app, person, { name: 'Guia de novembro' });
  await expect(page.getByRole('link', { name: /Guia de novembro/ })).toBeVisible(PROMPT);
  await expect(bell(page)).toHaveAccessibleName('Notificações: 2 não lidas', PROMPT);

  await expectOk(app.admin.from('documents').delete().eq('id', id));
  await expect(page.getByRole('link', { name: /Guia de novembro/ })).toBeHidden(PROMPT);
});

test('live › the office sees a reply in the queue, in the thread and at the bell', async ({
  page,
  app,
  browser,
}) => {
  await expectOk(
    app.admin.from('notifications').update({ read_at: new Date().toISOString() }).is('read_at', null),
  );
  const person = await app.newClient('Oficina Ao Vivo');
  const ticket = await addTicket(app.portaria, person, { subject: 'Recibo de aluguel' });
  await addStaffReply(app.admin, ticket, 'Pode enviar o recibo?');
  await openSession(page);
  await openLive(page, '/admin/tickets');
  const row = page.getByRole('row').filter({ hasText: 'Recibo de aluguel' });
  await expect(row).toContainText('Sem pendência');
  const colleague = await openBrowser(browser, app);
  await openLive(colleague, `/admin/tickets/${ticket}`);
  await expect(colleague.getByText('Pode enviar o recibo?')).toBeVisible();

  const client = await signIn(app.portaria, person);
  await expectOk(
    client.from('ticket_messages').insert({ ticket_id: ticket, body: 'Segue o recibo de novembro.' }),
  );
  await expect(colleague.getByText('Segue o recibo de novembro.')).toBeVisible(PROMPT);
  await expect(row).toContainText(/\d min/, PROMPT);

  const opened = { subject: 'Alteração do contrato', message: 'Uma mensagem longa o bastante.' };
  await expectOk(client.from('tickets').insert(opened));
  await expect(page.getByRole('link', { name: 'Alteração do contrato' })).toBeVisible(PROMPT);
  await expect(bell(page)).toHaveAccessibleName('Notificações: 1 não lida', PROMPT);
  await colleague.context().close();
});

test('live › a client sees the status and the reply in the list of tickets', async ({ page, app }) => {
  const person = await app.newClient('Clínica Ao Vivo');
  const ticket = await addTicket(app.portaria, person, { subject: 'Férias da recepção' });
  await openSession(page, person);
  await openLive(page, '/tickets');
  const card = page.getByRole('article').filter({ hasText: 'Férias da recepção' });
  await expect(card.getByText('Aberto')).toBeVisible();

  await addStaffReply(app.admin, ticket, 'O aviso de férias está pronto.');
  await expect(card.getByText('Escritório: O aviso de férias está pronto.')).toBeVisible(PROMPT);
  await expect(card.getByText('Não lido')).toBeVisible(PROMPT);
  await expectOk(app.admin.from('tickets').update({ status: 'closed' }).eq('id', ticket));
  await expect(card.getByText('Fechado')).toBeVisible(PROMPT);
});

test('live › two administrators share the inbox', async ({ page, app, browser }) => {
  await openSession(page);
  await openLive(page, '/admin/documents/bulk');
  const colleague = await openBrowser(browser, app);
  await openLive(colleague, '/admin/documents/bulk');
  const path = `${crypto.randomUUID()}.txt`;
  const text = new Blob(['Lista de materiais do escritório.'], { type: 'text/plain' });
  await unwrap(
    app.admin.storage.from('inbox').upload(path, text, { metadata: { name: 'materiais-ao-vivo.txt' } }),
  );
  for (const seen of [page, colleague]) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the pages show the same.
    await expect(seen.getByText('materiais-ao-vivo.txt').first()).toBeVisible({ timeout: 10_000 });
  }
  await expectOk(serviceClient(app.portaria).from('inbox_files').delete().eq('file_url', path));
  for (const seen of [page, colleague]) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the pages show the same.
    await expect(seen.getByText('materiais-ao-vivo.txt')).toHaveCount(0, PROMPT);
  }
  await colleague.context().close();
});

test('live › colleagues see who reviews which file of the inbox', async ({ page, app, browser }) => {
  const ana = { email: 'ana.prado@escritorio.com.br', password: 'uma senha comprida' };
  const service = serviceClient(app.portaria);
  await unwrap(
    service.auth.admin.createUser({
      ...ana,
      email_confirm: true,
      user_metadata: { full_name: 'Ana Prado' },
      app_metadata: { roles: ['admin'] },
    }),
  );
  const names = ['contrato-ao-vivo.txt', 'estatuto-ao-vivo.txt'];
  const paths = names.map(() => `${crypto.randomUUID()}.txt`);
  for (const [at, name] of names.entries()) {
    const file = new Blob([`Arquivo ${name}`], { type: 'text/plain' });
    // oxlint-disable-next-line eslint/no-await-in-loop -- the list shows them in this order.
    await unwrap(app.admin.storage.from('inbox').upload(paths[at] ?? '', file, { metadata: { name } }));
  }
  await openSession(page);
  await openLive(page, '/admin/documents/bulk?grupo=no_owner');
  const colleague = await openBrowser(browser, app, ana);
  await openLive(colleague, '/admin/documents/bulk?grupo=no_owner');
  const open = (of: Page, name: string) => findRow(of, name).getByRole('button').click();
  const sentence = 'Ana Prado está conferindo este arquivo';

  await expect(findRow(page, 'contrato-ao-vivo.txt')).toBeVisible({ timeout: 20_000 });
  await open(colleague, 'contrato-ao-vivo.txt');
  await expect(findRow(page, 'contrato-ao-vivo.txt')).toContainText(sentence, PROMPT);
  await expect(findRow(page, 'estatuto-ao-vivo.txt')).not.toContainText(sentence);
  await open(page, 'contrato-ao-vivo.txt');
  const panel = page.getByRole('region', { name: 'contrato-ao-vivo.txt' });
  await expect(panel.getByText(sentence)).toBeVisible();
  // The one who announces does not see the own name.
  await expect(findRow(colleague, 'contrato-ao-vivo.txt')).toContainText(
    /está conferindo este arquivo/,
    PROMPT,
  );
  await expect(colleague.getByText(sentence)).toHaveCount(0);

  await colleague.keyboard.press('j');
  await expect(findRow(page, 'estatuto-ao-vivo.txt')).toContainText(sentence, PROMPT);
  await expect(panel.getByText(sentence)).toBeHidden();
  await colleague.context().close();
  await expect(page.getByText(sentence)).toHaveCount(0, PROMPT);
  await expectOk(service.from('inbox_files').delete().in('file_url', paths));
});

test('live › a thousand new documents cause a bounded number of requests', async ({ page, app }) => {
  const person = await app.newClient('Atacado Ao Vivo');
  await openSession(page);
  await openLive(page, '/admin/documents');
  let lists = 0;
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/rest/v1/documents' && searchParams.has('offset')) lists += 1;
  });
  const start = Date.now();
  for (let batch = 0; batch < 20; batch += 1) {
    const names = Array.from({ length: 50 }, (_, at) => `Aviso ${batch * 50 + at + 1}`);
    // oxlint-disable-next-line eslint/no-await-in-loop -- one transaction after the other, as uploads make them.
    await seedDocuments(app, person, names);
  }
  await expect(page.getByText('Aviso 1000', { exact: true })).toBeVisible({ timeout: 10_000 });
  // The pauses are 1, 2, 4, 5, 5 … seconds.
  const seconds = (Date.now() - start) / 1_000;
  expect(lists).toBeLessThanOrEqual(4 + Math.ceil(seconds / 5));
});

test('live › without a websocket the page works and polls', async ({ page, app }) => {
  const person = await app.newClient('Livraria Sem Aviso');
  const ticket = await addTicket(app.portaria, person, { subject: 'Nota fiscal' });
  await openSession(page, person);
  let refused = 0;
  await page.routeWebSocket(REALTIME, (socket) => {
    refused += 1;
    void socket.close();
  });
  await page.goto(`/tickets/${ticket}`);
  await expect.poll(() => refused).toBeGreaterThan(0);
  await addStaffReply(app.admin, ticket, 'A nota está em Documentos.');
  await expect(page.getByText('A nota está em Documentos.')).toBeVisible({ timeout: 20_000 });
  await page.getByRole('link', { name: 'Documentos', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Documentos', level: 1 })).toBeVisible();
});

test('live › after a restart of the server the page shows what changed meanwhile', async ({ browser }) => {
  const app = await createTestApp();
  try {
    const person = await app.newClient('Floricultura Ao Vivo');
    const page = await openBrowser(browser, app, person);
    await openLive(page, '/tickets');
    await app.portaria.stopServer();
    const rejoined = page.waitForEvent('websocket');
    await app.portaria.startServer();
    await addTicket(app.portaria, person, { subject: 'Depois do reinício' });
    await rejoined;
    const card = page.getByRole('article').filter({ hasText: 'Depois do reinício' });
    await expect(card).toBeVisible({ timeout: 30_000 });
    await addTicket(app.portaria, person, { subject: 'Sem recarregar' });
    await expect(page.getByRole('article').filter({ hasText: 'Sem recarregar' })).toBeVisible(PROMPT);
    await page.context().close();
  } finally {
    await app.portaria.stop();
  }
});

test('live › the list of clients follows a new client, a new name, the first access and the deletion', async ({
  page,
  app,
  browser,
}) => {
  await openSession(page);
  await openLive(page, '/admin/clients');
  const person = await app.newClient('Marcenaria Ao Vivo');
  const row = page.getByRole('row').filter({ hasText: person.email });
  await expect(row).toContainText('Marcenaria Ao Vivo', PROMPT);
  await expect(row).toContainText('Ainda não entrou');
  const colleague = await openBrowser(browser, app);
  await openLive(colleague, `/admin/clients/view/${person.id}`);
  const heading = colleague.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Marcenaria Ao Vivo');

  const accounts = serviceClient(app.portaria).auth.admin;
  await expectOk(accounts.updateUserById(person.id, { user_metadata: { full_name: 'Móveis Ao Vivo' } }));
  await expect(row).toContainText('Móveis Ao Vivo', PROMPT);
  await expect(heading).toHaveText('Móveis Ao Vivo', PROMPT);
  await signIn(app.portaria, person);
  await expect(row).not.toContainText('Ainda não entrou', PROMPT);

  await colleague.getByRole('button', { name: 'Excluir' }).click();
  await colleague.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click();
  await expect(row).toHaveCount(0, PROMPT);
  await expect(heading).toHaveText('Gerenciar Clientes');
  // The page that is left does not read the client again.
  await expect(colleague.getByText('Erro ao carregar cliente')).toHaveCount(0);
  await colleague.context().close();
});

test('live › the list of clients and the log of mails follow what happens', async ({
  page,
  app,
  browser,
}) => {
  const person = await app.newClient('Sorveteria Ao Vivo');
  await openSession(page);
  await openLive(page, '/admin/clients');
  const row = page.getByRole('row').filter({ hasText: person.email });
  await expect(row).toContainText('Nenhuma');
  const log = await openBrowser(browser, app);
  await openLive(log, '/admin/email-log');
  await expect(log.getByRole('heading', { level: 1 })).toBeVisible();
  const mails = log
    .getByRole('row')
    .filter({ hasText: person.email })
    .filter({ hasText: 'Ticket atualizado' });
  await expect(mails).toHaveCount(0);

  const ticket = await addTicket(app.portaria, person, { subject: 'Segunda via' });
  await expect(row).toContainText('1 ticket', PROMPT);
  await seedDocument(app, person, { name: 'Guia de novembro' });
  await expect(row).toContainText('1 doc. · 1 ticket', PROMPT);
  await addStaffReply(app.admin, ticket, 'Segue a segunda via.');
  await expect(mails.first()).toBeVisible(PROMPT);

  const { user } = await unwrap(app.admin.auth.getUser());
  const assignment = { client_id: person.id, staff_id: user.id, is_responsible: true };
  await page.getByRole('button', { name: 'Que eu atendo' }).click();
  await expect(row).toBeHidden();
  await expectOk(app.admin.from('client_assignments').insert(assignment));
  await expect(row).toBeVisible(PROMPT);
});
