// A new ticket: drafts are kept, and repeated submission creates one ticket.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, type Page, type Route } from '@playwright/test';

import { holdRequest, openSession, signInAsClient, test } from '../../fixtures/test.ts';
import { samplePdf } from '../../helpers/pdf.ts';
import { countTickets } from '../../helpers/tickets.ts';

const TICKETS = '**/rest/v1/tickets?*';
const MESSAGE = 'O banco não aceita o código de barras.';

test('new ticket › an invalid ticket stays in the form with its errors', async ({ page, app }) => {
  const client = await app.newClient('Aline Fontes');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await expect(page.getByText('O tempo médio de resposta é de 24 horas úteis.')).toBeVisible();
  await expect(page.getByLabel('Categoria')).toHaveValue('support');
  await expect(page.getByLabel('Prioridade')).toHaveValue('normal');
  await expect(page.getByLabel('Categoria').getByRole('option')).toHaveText([
    'Suporte Técnico',
    'Faturamento',
    'Conta',
    'Outros',
  ]);
  await expect(page.getByLabel('Prioridade').getByRole('option')).toHaveText([
    'Baixa',
    'Normal',
    'Alta',
    'Urgente',
  ]);
  const send = page.getByRole('button', { name: 'Enviar Ticket' });
  const [subject, message] = [page.getByLabel('Assunto'), page.getByLabel('Mensagem')];
  await subject.fill('   ');
  await send.click();
  await expect(page.getByText('Erro no formulário')).toBeVisible();
  await expect(page.getByText('Por favor, corrija os erros antes de enviar')).toBeVisible();
  await expect(subject).toHaveAccessibleDescription('O assunto é obrigatório');
  await expect(message).toHaveAccessibleDescription('A mensagem é obrigatória');
  await subject.fill('Guia');
  await expect(page.getByText('O assunto é obrigatório')).toBeHidden();
  await message.fill('  nove let  ');
  await send.click();
  await expect(message).toHaveAccessibleDescription('A mensagem deve ter pelo menos 10 caracteres');
  await expect(page).toHaveURL('/tickets/new');
  expect(await countTickets(app.portaria, client)).toBe(0);
});

test('new ticket › cancel asks before it discards text', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Álvaro Dias'));
  await page.goto('/tickets/new');
  await page.getByLabel('Prioridade').selectOption('Urgente');
  const cancel = page.getByRole('link', { name: 'Cancelar' });
  // Without text there is no question.
  await cancel.click();
  await expect(page).toHaveURL('/tickets');
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await page.getByLabel('Assunto').fill('Guia');
  await cancel.click();
  const question = page.getByRole('alertdialog', { name: 'Descartar o ticket?' });
  await question.getByRole('button', { name: 'Continuar escrevendo' }).click();
  await expect(question).toBeHidden();
  await expect(page).toHaveURL('/tickets/new');
  await expect(page.getByLabel('Assunto')).toHaveValue('Guia');
  await cancel.click();
  await question.getByRole('button', { name: 'Descartar' }).click();
  await expect(page).toHaveURL('/tickets');
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
});

test('new ticket › submission leads to the list at once, and the ticket appears when stored', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Benício Prado');
  await signInAsClient(page, client);
  const held = await holdInserts(page);
  // A field for files that appears after the others moves the button below it under the pointer.
  await page.route(/ticket-files-.*\.js/, async (route) => {
    await delay(500);
    await route.continue();
  });
  await page.goto('/tickets/new');
  await page.getByLabel('Assunto').waitFor();
  expect(await page.getByText('Anexos (opcional)').count()).toBe(1);
  await fillTicket(page, 'Guia do DAS');
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.getByText('Enviando…')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(0);
  (await held.next()).go();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(page.getByText('Seu ticket foi enviado com sucesso')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page.getByRole('article').getByRole('heading', { name: 'Guia do DAS' })).toBeVisible();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
});

test('new ticket › a failed submission shows a toast and keeps the draft', async ({ page, app }) => {
  const client = await app.newClient('Cecília Torres');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Guia do DAS');
  await page.getByLabel('Prioridade').selectOption('Urgente');
  await page.route(TICKETS, (route) =>
    route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
  );
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.getByText('Erro', { exact: true })).toBeVisible();
  await expect(page.getByText('Não foi possível criar o ticket. Tente novamente.')).toBeVisible();
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Mensagem')).toHaveValue(MESSAGE);
  await expect(page.getByLabel('Prioridade')).toHaveValue('urgent');
  await page.unroute(TICKETS);
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('new ticket › the draft survives a reload and a failure during a second draft', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Dalva Rios');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'O primeiro');
  await page.reload();
  await expect(page.getByLabel('Assunto')).toHaveValue('O primeiro');
  const held = await holdInserts(page);
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
  await fillTicket(page, 'O segundo');
  (await held.next()).fail();
  await expect(page.getByText('Não foi possível criar o ticket. Tente novamente.')).toBeVisible();
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  (await held.next()).go();
  await expect(page.getByRole('article').getByRole('heading', { name: 'O segundo' })).toBeVisible();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('O primeiro');
});

test('new ticket › a double click creates one ticket', async ({ page, app }) => {
  const client = await app.newClient('Elias Novaes');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Duas vezes');
  await page.getByRole('button', { name: 'Enviar Ticket' }).dblclick();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(1);
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('new ticket › a retry after a lost response creates one ticket', async ({ page, app }) => {
  const client = await app.newClient('Fátima Goulart');
  await signInAsClient(page, client);
  const held = await holdInserts(page);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Resposta perdida');
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await (await held.next()).lose();
  await expect(page.getByText('Não foi possível criar o ticket. Tente novamente.')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  (await held.next()).go();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('new ticket › two tabs share the draft, and submitting in both creates one ticket', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Gustavo Pires');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Em duas abas');
  const other = await page.context().newPage();
  await other.goto('/tickets/new');
  await expect(other.getByLabel('Assunto')).toHaveValue('Em duas abas');
  await other.getByLabel('Assunto').fill('Em duas abas, mudado');
  await expect(page.getByLabel('Assunto')).toHaveValue('Em duas abas, mudado');
  const [firstInserts, secondInserts] = [await holdInserts(page), await holdInserts(other)];
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  const first = await firstInserts.next();
  await other.getByRole('button', { name: 'Enviar Ticket' }).click();
  const second = await secondInserts.next();
  first.go();
  second.go();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(other.getByText('Ticket criado')).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
  await other.goto('/tickets/new');
  await expect(other.getByLabel('Assunto')).toHaveValue('');
  await other.close();
});

test('new ticket › sign-out asks before it deletes the draft', async ({ page, app }) => {
  const client = await app.newClient('Odete Camargo');
  await openSession(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Segredo da Odete');
  const leave = async () => {
    await page.getByRole('button', { name: /Menu da conta/ }).click();
    await page.getByRole('button', { name: 'Sair', exact: true }).click();
  };
  await leave();
  const question = page.getByRole('alertdialog', { name: 'Sair sem enviar?' });
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByLabel('Assunto')).toHaveValue('Segredo da Odete');
  await leave();
  await question.getByRole('button', { name: 'Apagar e sair' }).click();
  await expect(page.getByText('Logout realizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Odete');
  // Without a draft there is no question.
  await signInAsClient(page, client);
  await page.getByRole('link', { name: 'Criar ticket' }).first().click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
  await leave();
  await expect(page).toHaveURL('/login');
});

test('new ticket › keeps its files after a failure, sends them, and names a refused one', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Noêmia Anexos');
  await signInAsClient(page, client);
  await page.goto('/tickets/new');
  await fillTicket(page, 'Notas de novembro');
  const pdf = await samplePdf();
  await page.getByLabel('Anexos (opcional)').setInputFiles([
    { name: 'nota 1.pdf', mimeType: 'application/pdf', buffer: pdf },
    { name: 'nota 2.xml', mimeType: 'text/xml', buffer: Buffer.from('<nfe/>') },
    { name: 'programa.exe', mimeType: 'application/pdf', buffer: pdf },
    { name: 'disfarce.pdf', mimeType: 'application/pdf', buffer: Buffer.from('MZ') },
    { name: 'errada.pdf', mimeType: 'application/pdf', buffer: pdf },
  ]);
  const chosen = page.getByRole('list', { name: 'Anexos do ticket' });
  // A type that is refused is named at once; a disguised one when the server sees its content.
  await expect(page.getByText('Arquivo não anexado')).toBeVisible();
  await expect(
    page.getByText(/^programa\.exe: Este tipo de arquivo não é aceito\. Envie PDF,/),
  ).toBeVisible();
  await chosen.getByRole('button', { name: 'Remover errada.pdf' }).click();
  await expect(chosen.getByRole('listitem')).toHaveCount(3);
  await page.route(TICKETS, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  );
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Não foi possível criar o ticket. Tente novamente.')).toBeVisible();
  await page.unroute(TICKETS);
  await page.getByRole('link', { name: 'Novo Ticket' }).first().click();
  await expect(chosen.getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('1 arquivo não foi enviado com o ticket')).toBeVisible();
  await expect(page.getByText(/^disfarce\.pdf: Este tipo de arquivo não é aceito\./)).toBeVisible();
  await page.getByRole('link', { name: 'Notas de novembro', exact: true }).click();
  const thread = page.getByRole('log', { name: 'Mensagens' });
  for (const name of ['nota 1.pdf', 'nota 2.xml'])
    await expect(thread.getByRole('button', { name: `Baixar ${name}` })).toBeVisible();
  expect(await countTickets(app.portaria, client)).toBe(1);
});

test('new ticket › says that its files are on their way, and asks before the tab closes', async ({
  page,
  app,
}) => {
  await signInAsClient(page, await app.newClient('Neide Devagar'));
  await page.goto('/tickets/new');
  await fillTicket(page, 'Fotos do balcão');
  const upload = await holdRequest(page, /\/storage\/v1\/object\//, 'POST');
  const pdf = await samplePdf();
  await page.getByLabel('Anexos (opcional)').setInputFiles([
    { name: 'frente.pdf', mimeType: 'application/pdf', buffer: pdf },
    { name: 'verso.pdf', mimeType: 'application/pdf', buffer: pdf },
  ]);
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await upload.started;
  const notice = page.getByText('Enviando 2 anexos… Não feche o portal.');
  await expect(notice).toBeVisible();
  const question = page.waitForEvent('dialog');
  void page.evaluate(() => setTimeout(() => location.reload()));
  await (await question).dismiss();
  await expect(notice).toBeVisible();
  upload.release();
  await expect(page.getByText('2 anexos enviados')).toBeVisible();
  await expect(notice).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Fotos do balcão' })).toBeVisible();
});

test.describe(() => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('new ticket › takes photos from the camera of a phone', async ({ page, app }) => {
    await signInAsClient(page, await app.newClient('Olga da Foto'));
    await page.goto('/tickets/new');
    const camera = page.getByLabel('Tirar foto');
    await expect(page.getByText('Tirar foto')).toBeVisible();
    await expect(camera).toHaveAttribute('capture', 'environment');
    // A camera names each photo alike.
    const photo = {
      name: 'image.jpg',
      mimeType: 'image/jpeg',
      buffer: await page.screenshot({ type: 'jpeg' }),
    };
    await camera.setInputFiles(photo);
    await camera.setInputFiles(photo);
    const chosen = page.getByRole('list', { name: 'Anexos do ticket' });
    await expect(chosen.getByRole('listitem')).toHaveCount(2);
    await fillTicket(page, 'Fotos da bomba');
    await page.getByRole('button', { name: 'Enviar Ticket' }).click();
    await expect(page.getByText('2 anexos enviados')).toBeVisible();
    await page.getByRole('link', { name: 'Fotos da bomba', exact: true }).click();
    const thread = page.getByRole('log', { name: 'Mensagens' });
    await expect(thread.getByRole('button', { name: 'Ver image.jpg' })).toHaveCount(2);
  });
});

test('new ticket › is listed once while the list is refreshed', async ({ page, app }) => {
  await openSession(page, await app.newClient('Otávio Lins'));
  await page.goto('/tickets');
  await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
  await page.getByRole('link', { name: 'Novo Ticket' }).click();
  await fillTicket(page, 'Uma vez só');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(TICKETS, async (route) => {
    if (route.request().method() !== 'POST') await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Uma vez só' })).toHaveCount(1);
  await expect(page.getByText('Enviando…')).toBeHidden();
  release();
});

async function fillTicket(page: Page, subject: string): Promise<void> {
  await page.getByLabel('Assunto').fill(subject);
  await page.getByLabel('Mensagem').fill(MESSAGE);
}

interface HeldInsert {
  /** Lets the request through. */
  go(): void;
  /** Aborts the request. */
  fail(): void;
  /** Lets the server store the row and drops the response. */
  lose(): Promise<void>;
}

/** Holds inserts of tickets on their way to the server. `next` resolves with the next held request. */
async function holdInserts(page: Page): Promise<{ next(): Promise<HeldInsert> }> {
  const arrived: HeldInsert[] = [];
  const waiters: ((held: HeldInsert) => void)[] = [];
  await page.route(TICKETS, async (route) => {
    if (route.request().method() !== 'POST') {
      return route.continue();
    }
    const held = hold(route);
    const waiter = waiters.shift();
    if (waiter) {
      waiter(held);
    } else {
      arrived.push(held);
    }
  });
  return {
    next: () => {
      const held = arrived.shift();
      return held ? Promise.resolve(held) : new Promise((resolve) => waiters.push(resolve));
    },
  };
}

function hold(route: Route): HeldInsert {
  return {
    go: () => void route.continue(),
    fail: () => void route.abort('connectionreset'),
    async lose() {
      await route.fetch();
      await route.abort();
    },
  };
}
