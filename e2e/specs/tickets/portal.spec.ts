// The client's list of tickets and the page of a ticket.

import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsClient, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { unwrap, expectOk, serviceClient } from '../../helpers/api.ts';
import { samplePdf, SAMPLE_PDF_NAME, sha256 } from '../../helpers/pdf.ts';
import { addTicket, addTickets, addStaffReply } from '../../helpers/tickets.ts';

/** Polling interval of the page, plus time for a slow machine. */
const SOON = { timeout: 40_000 };
const DAY = 24 * 60 * 60 * 1000;

const card = (page: Page, subject: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: subject, exact: true }) });

test.describe('ticket list', () => {
  test('card shows subject, message, id, date and status', async ({ page, app }) => {
    const client = await app.newClient('Rita Falcão');
    const id = await addTicket(app.portaria, client, {
      subject: 'Segunda via da guia',
      message: 'Preciso da segunda via.\n'.repeat(20),
      created_at: '2026-11-02T23:30:00-03:00',
    });
    await openSession(page, client);
    await page.goto('/tickets');
    const ticket = card(page, 'Segunda via da guia');
    await expect(ticket.getByTitle(id)).toHaveText(`ID: #${id.slice(-4)}`);
    await expect(ticket).toContainText('02/11/2026');
    await expect(ticket.getByText('Aberto', { exact: true })).toBeVisible();
    const preview = ticket.getByText(/Preciso da segunda via/);
    const lines = await preview.evaluate(
      (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
    );
    expect(Math.round(lines)).toBe(2);
    await ticket.getByRole('link', { name: 'Ver detalhes' }).click();
    await expect(page).toHaveURL(`/tickets/${id}`);
    await expect(page.getByTitle(id)).toHaveText(`#${id.slice(-4)}`);
    await expect(page.getByRole('button', { name: 'Copiar ID' })).toBeVisible();
  });

  test('is searched by subject, message and full id while typing', async ({ page, app }) => {
    const client = await app.newClient('Sílvio Brandão');
    const [id] = await addTickets(app.portaria, client, [
      { subject: 'Férias da Rosângela', message: 'Quando ela pode sair, e quanto recebe?' },
      { subject: 'Guia do DAS', message: 'O código de barras, 100% errado (e_x), "não lê".' },
    ]);
    await openSession(page, client);
    await page.goto('/tickets');
    const search = page.getByRole('searchbox', { name: 'Buscar tickets...' });
    for (const [text, found, other] of [
      ['FERIAS', 'Férias da Rosângela', 'Guia do DAS'],
      ['codigo DE', 'Guia do DAS', 'Férias da Rosângela'],
      ['100%', 'Guia do DAS', 'Férias da Rosângela'],
      ['(e_x), "não', 'Guia do DAS', 'Férias da Rosângela'],
      [id ?? '', 'Férias da Rosângela', 'Guia do DAS'],
    ] as const) {
      await search.fill('');
      await expect(page.getByRole('article')).toHaveCount(2);
      await search.pressSequentially(text);
      await expect(card(page, other)).toBeHidden();
      await expect(card(page, found)).toBeVisible();
    }
    await search.fill('nada disso');
    await expect(page.getByText('Nenhum ticket encontrado')).toBeVisible();
    await expect(page.getByText('Tente ajustar seus filtros de busca')).toBeVisible();
  });

  test("is filtered by status, and 'Em andamento' shows only if such tickets exist", async ({
    page,
    app,
  }) => {
    const client = await app.newClient('Tânia Queiroz');
    await openSession(page, client);
    await page.goto('/tickets');
    await expect(page.getByText('Você ainda não possui tickets')).toBeVisible();
    const filters = page.getByRole('group', { name: 'Filtrar por status' });
    await expect(filters.getByRole('button')).toHaveText(['Todos', 'Abertos', 'Fechados']);
    await addTickets(app.portaria, client, [
      { subject: 'Um aberto', status: 'open' },
      { subject: 'Um fechado', status: 'closed' },
    ]);
    await page.reload();
    await expect(page.getByRole('article')).toHaveCount(2);
    await expect(filters.getByRole('button')).toHaveText(['Todos', 'Abertos', 'Fechados']);
    await addTicket(app.portaria, client, { subject: 'Um em andamento', status: 'in-progress' });
    await page.reload();
    await expect(filters.getByRole('button')).toHaveText(['Todos', 'Abertos', 'Fechados', 'Em andamento']);
    for (const [filter, subject] of [
      ['Abertos', 'Um aberto'],
      ['Fechados', 'Um fechado'],
      ['Em andamento', 'Um em andamento'],
    ] as const) {
      await filters.getByRole('button', { name: filter }).click();
      await expect(page.getByRole('article')).toHaveCount(1);
      await expect(card(page, subject)).toBeVisible();
      await expect(filters.getByRole('button', { name: filter })).toHaveAttribute('aria-pressed', 'true');
    }
    await expect(card(page, 'Um em andamento').getByText('Em andamento', { exact: true })).toBeVisible();
    await filters.getByRole('button', { name: 'Todos' }).click();
    await expect(page.getByRole('article')).toHaveCount(3);
    await expect(card(page, 'Um fechado').getByRole('button', { name: 'Fechar' })).toBeHidden();
  });

  test('closes a ticket only after a confirmation', async ({ page, app }) => {
    const client = await app.newClient('Ulisses Moraes');
    await addTicket(app.portaria, client, { subject: 'Já resolvido' });
    await openSession(page, client);
    await page.goto('/tickets');
    const ticket = card(page, 'Já resolvido');
    await ticket.getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('button', { name: 'Cancelar' }).click();
    await expect(ticket.getByText('Aberto', { exact: true })).toBeVisible();
    await ticket.getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('button', { name: 'Fechar ticket' }).click();
    await expect(ticket.getByText('Fechado', { exact: true })).toBeVisible();
    await expect(ticket.getByRole('button', { name: 'Fechar' })).toBeHidden();
  });

  test('loads 2,000 tickets on scrolling and searches them on the server', async ({ page, app }) => {
    const client = await app.newClient('Valdir Siqueira');
    for (let first = 0; first < 2000; first += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => ({ subject: `Assunto número ${first + at}` }));
      await addTickets(app.portaria, client, rows);
    }
    await openSession(page, client);
    await page.goto('/tickets');
    await expect(page.getByRole('article')).toHaveCount(50);
    await page.getByRole('article').last().scrollIntoViewIfNeeded();
    await expect(page.getByRole('article')).not.toHaveCount(50);
    const search = page.getByRole('searchbox', { name: 'Buscar tickets...' });
    await search.pressSequentially('número 7 ');
    await search.fill('número 777');
    await expect(page.getByRole('article')).toHaveCount(1);
    await expect(card(page, 'Assunto número 777')).toBeVisible();
  });
});

test.describe('ticket', () => {
  test('shows messages of both sides without a reload', async ({ page, app }) => {
    const client = await app.newClient('Wilson Peixoto');
    const id = await addTicket(app.portaria, client, { subject: 'Dúvida', message: 'Quando sai a guia?' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    const thread = page.getByRole('log', { name: 'Mensagens' });
    await expect(thread.getByRole('listitem')).toHaveCount(1);
    await expect(thread).toContainText('Quando sai a guia?');
    await page.getByLabel('Sua mensagem').fill('Alguém aí?');
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(thread.getByRole('listitem')).toHaveCount(2);
    await expect(thread.getByRole('listitem').nth(1)).toContainText(/Você.*Alguém aí\?/);
    await expect(page.getByLabel('Sua mensagem')).toHaveValue('');

    await addStaffReply(app.admin, id, 'Sai amanhã.');
    await expectOk(app.admin.from('tickets').update({ status: 'in-progress' }).eq('id', id));
    const note = { ticket_id: id, body: 'Cliente apressada', internal: true };
    await expectOk(app.admin.from('ticket_messages').insert(note));
    await expect(thread.getByRole('listitem').nth(2)).toContainText(/Equipe.*Sai amanhã\./, SOON);
    await expect(page.getByText('Cliente apressada')).toBeHidden();
    const history = page.getByRole('list', { name: 'Mudanças de status' }).getByRole('listitem');
    await expect(history).toHaveText([/^Aberto/, /^Em andamento.*Equipe/]);
  });

  test('an empty reply shows an error beside the field', async ({ page, app }) => {
    const client = await app.newClient('Xavier Dantas');
    const id = await addTicket(app.portaria, client, { subject: 'Dúvida' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    const field = page.getByLabel('Sua mensagem');
    await expect(field).toBeFocused();
    await expect(field).toHaveAccessibleDescription(/Escreva uma mensagem\./);
    await field.fill('Oi');
    await expect(page.getByText('Escreva uma mensagem.')).toBeHidden();
  });

  test('transfers attachments of both sides byte for byte', async ({ page, app }) => {
    const client = await app.newClient('Yara Mendonça');
    const id = await addTicket(app.portaria, client, { subject: 'Declaração' });
    const bytes = await samplePdf();
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    const waiting = page.getByRole('list', { name: 'Anexos da resposta' });
    const choose = page.getByLabel('Anexar arquivos');
    const file = (name: string) => ({ name, mimeType: 'application/pdf', buffer: bytes });
    await choose.setInputFiles([file(SAMPLE_PDF_NAME), file('outra.pdf')]);
    await expect(waiting.getByText(SAMPLE_PDF_NAME, { exact: true })).toBeVisible();
    await waiting.getByRole('button', { name: 'Remover outra.pdf' }).click();
    await expect(waiting.getByRole('listitem')).toHaveCount(1);
    // Files that are too large or of a refused type are not attached.
    const large = { ...file('grande.pdf'), buffer: Buffer.alloc(10 * 1024 * 1024 + 1) };
    await choose.setInputFiles([large, { ...large, name: 'maior.pdf' }]);
    await expect(page.getByText('grande.pdf, maior.pdf: O arquivo excede o limite de 10MB.')).toBeVisible();
    await choose.setInputFiles([{ name: 'programa.exe', mimeType: 'application/pdf', buffer: bytes }]);
    await expect(page.getByText('programa.exe não foi anexado')).toBeVisible();
    await expect(page.getByText(/^Este tipo de arquivo não é aceito\. Envie PDF,/)).toBeVisible();
    await expect(waiting.getByRole('listitem')).toHaveCount(1);
    // A message takes at most twenty files.
    await choose.setInputFiles(Array.from({ length: 21 }, (_, at) => file(`parte ${at}.pdf`)));
    await expect(page.getByText('2 arquivos não foram anexados')).toBeVisible();
    await expect(waiting.getByRole('button', { name: /^Remover/ })).toHaveCount(20);
    for (let at = 0; at < 19; at += 1) {
      await waiting.getByRole('button', { name: `Remover parte ${at}.pdf` }).click();
    }
    await expect(waiting.getByRole('listitem')).toHaveCount(1);

    await page.getByLabel('Sua mensagem').fill('Segue a declaração.');
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    const thread = page.getByRole('log', { name: 'Mensagens' });
    await expect(thread.getByRole('button', { name: `Baixar ${SAMPLE_PDF_NAME}` })).toBeVisible();
    await addStaffReply(app.admin, id, 'Recebido, e assinado.', { name: 'assinada.pdf', bytes });
    for (const name of [SAMPLE_PDF_NAME, 'assinada.pdf']) {
      const button = thread.getByRole('button', { name: `Baixar ${name}` });
      await expect(button).toBeVisible(SOON);
      const download = page.waitForEvent('download');
      await button.click();
      expect((await download).suggestedFilename()).toBe(name);
      expect(sha256(await readFile(await (await download).path()))).toBe(sha256(bytes));
    }
    const rows = await unwrap(serviceClient(app.portaria).from('ticket_attachments').select('name'));
    expect(rows.filter(({ name }) => name === 'outra.pdf')).toEqual([]);
  });

  test('shows the progress of an attachment, which can be canceled', async ({ page, app }) => {
    const client = await app.newClient('Zilda Antunes');
    const id = await addTicket(app.portaria, client, { subject: 'Arquivo grande' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    const buffer = Buffer.concat([await samplePdf(), Buffer.alloc(4_000_000)]);
    await page
      .getByLabel('Anexar arquivos')
      .setInputFiles([{ name: 'grande.pdf', mimeType: 'application/pdf', buffer }]);
    const progress = page.getByRole('progressbar', { name: 'Enviando grande.pdf' });
    await expect(progress).toBeVisible();
    const percentage = async () => Number(await progress.getAttribute('aria-valuenow'));
    await expect.poll(percentage).toBeGreaterThan(0);
    expect(await percentage()).toBeLessThan(100);
    await expect(page.getByRole('button', { name: 'Enviar resposta' })).toBeDisabled();
    await page.getByRole('button', { name: 'Cancelar o envio de grande.pdf' }).click();
    await expect(progress).toBeHidden();
    await expect(page.getByRole('button', { name: 'Enviar resposta' })).toBeEnabled();
  });

  test('keeps an unsent reply across a reload and a failure, and sends it once', async ({ page, app }) => {
    const client = await app.newClient('Abel Coutinho');
    const id = await addTicket(app.portaria, client, { subject: 'Rascunho' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    const field = page.getByLabel('Sua mensagem');
    await field.fill('Escrevo devagar');
    await page
      .getByLabel('Anexar arquivos')
      .setInputFiles([{ name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('Nota.') }]);
    await expect(page.getByText('nota.txt', { exact: true })).toBeVisible();
    await page.reload();
    await expect(field).toHaveValue('Escrevo devagar');
    await expect(page.getByText('nota.txt', { exact: true })).toBeVisible();
    // The server stores it, but the response is lost.
    await page.route('**/rest/v1/ticket_messages*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(page.getByText(/Sem conexão com o servidor/)).toBeVisible();
    await expect(field).toHaveValue('Escrevo devagar');
    await page.unroute('**/rest/v1/ticket_messages*');
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(page.getByRole('button', { name: 'Baixar nota.txt' })).toBeVisible();
    await expect(page.getByRole('log').getByText('Escrevo devagar')).toHaveCount(1);
    await expect(field).toHaveValue('');
    await page.reload();
    await expect(page.getByRole('log').getByText('Escrevo devagar')).toHaveCount(1);
    await expect(field).toHaveValue('');
  });

  test('keeps input typed while a reply is sent', async ({ page, app }) => {
    const client = await app.newClient('Adélia Moraes');
    const id = await addTicket(app.portaria, client, { subject: 'Com pressa' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    const field = page.getByLabel('Sua mensagem');
    await field.fill('Primeira parte.');
    await page
      .getByLabel('Anexar arquivos')
      .setInputFiles([{ name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('Nota.') }]);
    await expect(page.getByText('nota.txt', { exact: true })).toBeVisible();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/rest/v1/ticket_messages*', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await field.fill('Primeira parte. E a segunda.');
    release();
    await expect(page.getByRole('button', { name: 'Baixar nota.txt' })).toBeVisible();
    await expect(field).toHaveValue('E a segunda.');
    await expect(page.getByRole('list', { name: 'Anexos da resposta' })).toBeHidden();
  });

  test('is closed, and a reply reopens it', async ({ page, app }) => {
    const client = await app.newClient('Bruna Teles');
    const id = await addTicket(app.portaria, client, { subject: 'Vai e volta' });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    await page.getByRole('button', { name: 'Fechar', exact: true }).click();
    await page.getByRole('button', { name: 'Fechar ticket' }).click();
    await expect(page.getByText('Este ticket está fechado.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Fechar', exact: true })).toBeHidden();
    await page.getByLabel('Sua mensagem').fill('Ainda não deu certo.');
    await page.getByRole('button', { name: 'Reabrir' }).click();
    await expect(page.getByText('Ticket reaberto')).toBeVisible();
    const history = page.getByRole('list', { name: 'Mudanças de status' }).getByRole('listitem');
    await expect(history).toHaveText([/^Aberto/, /^Fechado.*Você/, /^Aberto.*Você/]);
    await expect(page.getByRole('button', { name: 'Fechar', exact: true })).toBeVisible();
  });

  test('closed more than seven days ago links to a new ticket that refers to it', async ({ page, app }) => {
    const client = await app.newClient('César Viana');
    const closed_at = new Date(Date.now() - 7 * DAY - 60_000).toISOString();
    const id = await addTicket(app.portaria, client, { subject: 'Faz tempo', status: 'closed', closed_at });
    await openSession(page, client);
    await page.goto(`/tickets/${id}`);
    await expect(page.getByLabel('Sua mensagem')).toBeHidden();
    await page.getByRole('link', { name: 'Abrir novo ticket' }).click();
    await expect(page).toHaveURL(`/tickets/new?continua=${id}`);
    await expect(page.getByText('Continuação de Faz tempo')).toBeVisible();
    await page.getByLabel('Assunto').fill('De novo');
    await page.getByLabel('Mensagem').fill('Voltou a acontecer o mesmo.');
    await page.getByRole('button', { name: 'Enviar Ticket' }).click();
    await card(page, 'De novo').getByRole('link', { name: 'Ver detalhes' }).click();
    await page.getByRole('link', { name: `#${id.slice(-4)}` }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Faz tempo' })).toBeVisible();
  });

  test('of another client looks like a missing one', async ({ page, app }) => {
    const [one, other] = [await app.newClient('Diana Prates'), await app.newClient('Edson Leal')];
    const id = await addTicket(app.portaria, other, { subject: 'Segredo' });
    await signInAsClient(page, one);
    for (const path of [`/tickets/${id}`, '/tickets/00000000-0000-4000-8000-000000000000', '/tickets/x']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: 'Ticket não encontrado' })).toBeVisible();
      await expect(page.getByText('Segredo')).toBeHidden();
    }
  });

  test('is operated by keyboard on a small phone', async ({ page, app }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    const client = await app.newClient('Flora Bastos');
    const subject = 'Um assunto com palavras muitocompridaseseminterrupçãonenhumaparaquebrar no meio';
    const id = await addTicket(app.portaria, client, { subject });
    const name = `${'contrato-de-locação-'.repeat(8)}.txt`;
    await addStaffReply(app.admin, id, 'Segue.', { name, bytes: Buffer.from('Texto.') });
    await signInAsClient(page, client);
    for (const path of ['/tickets', '/tickets/new', `/tickets/${id}`]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, path).toBeLessThanOrEqual(0);
    }
    await tabTo(page, 'Sua mensagem');
    await page.keyboard.type('Recebi, obrigada.');
    await tabTo(page, 'Anexar arquivos');
    await tabTo(page, 'Enviar resposta');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('log').getByText('Recebi, obrigada.')).toBeVisible();
    await page.goto(`/tickets/${id}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await tabTo(page, 'Fechar');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alertdialog', { name: 'Fechar ticket' })).toBeVisible();
    await tabTo(page, 'Fechar ticket');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Este ticket está fechado.')).toBeVisible();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`has no accessibility violations, open and closed, in the ${colorScheme} theme`, async ({
      page,
      app,
    }) => {
      await page.emulateMedia({ colorScheme });
      const client = await app.newClient('Gil Arruda');
      const closed_at = new Date(Date.now() - 30 * DAY).toISOString();
      const [open, closed, old] = await addTickets(app.portaria, client, [
        { subject: 'Aberto' },
        { subject: 'Fechado', status: 'closed', closed_at: new Date().toISOString() },
        { subject: 'Antigo', status: 'closed', closed_at },
      ]);
      await addStaffReply(app.admin, open ?? '', 'Segue.', {
        name: 'a.txt',
        bytes: Buffer.from('Texto.'),
      });
      await signInAsClient(page, client);
      for (const path of ['/tickets', `/tickets/new?continua=${old}`, ...[open, closed, old].map(pathOf)]) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
      }
    });
  }
});

function pathOf(id: string | undefined): string {
  return `/tickets/${id}`;
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focusedName = await page.evaluate(() => {
      const focused = document.activeElement;
      const labels =
        focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement ? focused.labels : null;
      return (
        focused?.getAttribute('aria-label') ??
        labels?.[0]?.textContent ??
        focused?.textContent ??
        ''
      ).trim();
    });
    if (focusedName === name) {
      return;
    }
  }
  throw new Error(`Tab never came to ${name}.`);
}
