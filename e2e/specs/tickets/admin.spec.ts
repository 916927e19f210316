// The ticket queue of the office, replies, notes and saved replies.

import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import type { Portaria } from '../../fixtures/server.ts';
import { holdRequest, openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { unwrap, expectOk, type Person, serviceClient } from '../../helpers/api.ts';
import { refuseWebsockets } from '../../helpers/realtime.ts';
import { addTicket, addTickets, addStaffReply } from '../../helpers/tickets.ts';

/** Polling interval of the screens, plus time for a slow machine. */
const SOON = { timeout: 40_000 };
const DAY = 24 * 60 * 60 * 1000;

/** Creates a second administrator. */
async function createColleague(portaria: Portaria, email: string, name: string): Promise<Person> {
  const password = 'senha da colega';
  const { user } = await unwrap(
    serviceClient(portaria).auth.admin.createUser({
      email,
      password,
      email_confirm: true,
      user_metadata: { full_name: name },
      app_metadata: { roles: ['admin'] },
    }),
  );
  return { id: user.id, email, password, name };
}

const row = (page: Page, subject: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: subject, exact: true }) });
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();
const search = (page: Page) =>
  page.getByRole('searchbox', { name: 'Buscar por assunto, mensagem, cliente ou ID...' });

test.describe('ticket queue', () => {
  test('is reached from the sidebar', async ({ page }) => {
    await signInAsAdmin(page);
    const entries = page.getByRole('navigation', { name: 'Administração' }).getByRole('link');
    await expect(entries).toHaveText([
      'Dashboard',
      'Clientes',
      'Documentos',
      'Não abertos',
      'Config. Email',
      'Templates Email',
      'Tickets',
      'Solicitações',
      'Pastas',
      'Atividade',
      'Administradores',
      'Configurações',
    ]);
    await entries.filter({ hasText: 'Tickets' }).click();
    await expect(page).toHaveURL('/admin/tickets');
    await expect(page.getByRole('heading', { level: 1, name: 'Tickets' })).toBeVisible();
  });

  test('sorts by due time, marks overdue tickets and hides closed ones', async ({ page, app }) => {
    const client = await app.newClient('Abel Fontoura');
    await addTickets(app.portaria, client, [
      { subject: 'Fila: perguntado agora', created_at: daysAgo(0) },
      { subject: 'Fila: esquecido', created_at: daysAgo(12) },
      { subject: 'Fila: perguntado antes', created_at: daysAgo(9) },
      { subject: 'Fila: já fechado', created_at: daysAgo(2), status: 'closed', closed_at: daysAgo(1) },
    ]);
    const answered = await addTicket(app.portaria, client, {
      subject: 'Fila: respondido',
      created_at: daysAgo(20),
    });
    await addStaffReply(app.admin, answered, 'Pois não?');
    await openSession(page);
    await page.goto('/admin/tickets?busca=Fila:');
    await expect(search(page)).toHaveValue('Fila:');
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    const expected = ['esquecido', 'perguntado antes', 'perguntado agora', 'respondido'];
    await expect(links).toHaveText(expected.map((text) => `Fila: ${text}`));
    await expect(row(page, 'Fila: esquecido')).toContainText('Atrasado');
    await expect(row(page, 'Fila: esquecido')).toContainText('Abel Fontoura');
    await expect(row(page, 'Fila: perguntado agora')).not.toContainText('Atrasado');
    await expect(row(page, 'Fila: respondido')).toContainText('Sem pendência');
    await page.getByRole('button', { name: 'Atrasados' }).click();
    await expect(links).toHaveText(['Fila: esquecido', 'Fila: perguntado antes']);
    await search(page).fill('FILA: ESQUÉCIDO');
    await expect(links).toHaveText(['Fila: esquecido']);
  });

  test('is filtered by status, assignee, priority and category, and the address keeps the filters', async ({
    page,
    app,
  }) => {
    const client = await app.newClient('Bento Sá');
    const [urgent, paid] = await addTickets(app.portaria, client, [
      { subject: 'Filtro: urgente' },
      { subject: 'Filtro: cobrança' },
      { subject: 'Filtro: fechado', status: 'closed', closed_at: daysAgo(1) },
    ]);
    const helena = await unwrap(app.admin.auth.getUser());
    const change = (id: string | undefined, fields: object) =>
      expectOk(
        app.admin
          .from('tickets')
          .update(fields)
          .eq('id', id ?? ''),
      );
    await change(urgent, { priority: 'urgent', assignee_id: helena.user.id });
    await change(paid, { category: 'billing' });
    await openSession(page);
    await page.goto('/admin/tickets');
    await search(page).fill('Filtro:');
    const filters = page.getByRole('group', { name: 'Filtros' });
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    const statuses = filters.getByLabel('Status').getByRole('option');
    await expect(statuses).toHaveText([
      'Não fechados (2)',
      'Aberto (2)',
      'Em andamento (0)',
      'Fechado (1)',
      'Todos (3)',
    ]);
    for (const [label, option, subject] of [
      ['Status', 'closed', 'Filtro: fechado'],
      ['Responsável', 'Meus tickets', 'Filtro: urgente'],
      ['Prioridade', 'Urgente', 'Filtro: urgente'],
      ['Categoria', 'Faturamento', 'Filtro: cobrança'],
    ] as const) {
      const select = filters.getByLabel(label);
      await select.selectOption(option);
      await expect(links).toHaveText([subject]);
      await page.reload();
      await expect(links).toHaveText([subject]);
      await select.selectOption({ index: 0 });
      await expect(links).toHaveCount(2);
    }
    await filters.getByLabel('Responsável').selectOption('Sem responsável');
    await expect(links).toHaveText(['Filtro: cobrança']);
    await links.first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'Filtro: cobrança' })).toBeVisible();
    await page.goBack();
    await expect(links).toHaveText(['Filtro: cobrança']);
  });

  test('shows who waits for a reply, and assigns and closes many tickets at once', async ({ page, app }) => {
    const client = await app.newClient('Dalva Lote');
    const ids = await addTickets(app.portaria, client, [
      { subject: 'Lote: esquecido', created_at: daysAgo(5.5) },
      { subject: 'Lote: recente', created_at: daysAgo(0) },
      { subject: 'Lote: respondido', created_at: daysAgo(9) },
    ]);
    await addStaffReply(app.admin, ids[2] ?? '', 'Pois não?');
    await openSession(page);
    await page.goto('/admin/tickets?busca=Lote:');
    const filters = page.getByRole('group', { name: 'Filtros' });
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    await expect(row(page, 'Lote: esquecido').getByRole('cell', { name: '5 dias' })).toBeVisible();
    await expect(filters.getByRole('button', { name: 'Sem resposta' })).toHaveText('Sem resposta2');
    await filters.getByRole('button', { name: 'Sem resposta' }).click();
    await expect(links).toHaveText(['Lote: esquecido', 'Lote: recente']);
    await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
    await page.getByRole('button', { name: 'Atribuir' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Atribuir' }).click();
    await expect(page.getByText('2 tickets atualizados')).toBeVisible();
    await filters.getByLabel('Responsável').selectOption('Meus tickets');
    await expect(links).toHaveText(['Lote: esquecido', 'Lote: recente']);
    await page.getByRole('checkbox', { name: 'Selecionar todos os carregados' }).check();
    await page.locator('[data-slot=bulk-bar]').getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Fechar' }).click();
    await expect(page.getByText('Nenhum ticket encontrado')).toBeVisible();
    const closed = await unwrap(app.admin.from('tickets').select('id').in('id', ids).eq('status', 'closed'));
    expect(closed).toHaveLength(2);
  });

  test('is searched by subject, message, client and full id', async ({ page, app }) => {
    const client = await app.newClient('Conceição Ávila');
    const other = await app.newClient('Dirceu Lemos');
    const [id] = await addTickets(app.portaria, client, [
      { subject: 'Procura-se um recibo', message: 'O banco pediu (100%) o recibo do imposto.' },
    ]);
    await addTicket(app.portaria, other, { subject: 'Outro assunto qualquer' });
    await openSession(page);
    await page.goto('/admin/tickets');
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    for (const text of ['PROCURA-SE', '(100%) o recibo', 'conceicao', id ?? '']) {
      await search(page).fill(text);
      await expect(links).toHaveText(['Procura-se um recibo']);
    }
    await search(page).fill('nada disso');
    await expect(page.getByText('Nenhum ticket encontrado')).toBeVisible();
    await expect(page.getByText('Tente ajustar seus filtros de busca')).toBeVisible();
    // The sidebar's link removes the search.
    await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
    await expect(search(page)).toHaveValue('');
    // Other tests' tickets may fill the first page.
    await expect(links.filter({ hasNotText: 'Procura-se um recibo' })).not.toHaveCount(0);
  });

  test('shows a failed request and tries again', async ({ page, app }) => {
    await signInAsAdmin(page);
    await app.portaria.withBrokenTable('tickets', async () => {
      await page.goto('/admin/tickets');
      await expect(page.getByText('Erro ao buscar tickets')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
    });
    await page.getByRole('button', { name: 'Tentar novamente' }).click();
    await expect(page.getByText('Não foi possível carregar os dados do servidor.')).toBeHidden();
  });

  test('loads hundreds of tickets page by page', async ({ page, app }) => {
    const client = await app.newClient('Eulália Prado');
    const many = Array.from({ length: 120 }, (_, number) => ({
      subject: `Muitos ${String(number).padStart(3, '0')}`,
      created_at: daysAgo(300 - number),
    }));
    await addTickets(app.portaria, client, many);
    await openSession(page);
    await page.goto('/admin/tickets?busca=Muitos');
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    await expect(links).toHaveCount(50);
    const first = await links.first().textContent();
    await links.last().scrollIntoViewIfNeeded();
    await expect(links).not.toHaveCount(50);
    await expect(links.first()).toHaveText(first ?? '');
  });

  test('keeps its place while overdue tickets are refreshed', async ({ page, app }) => {
    const overdue = Array.from({ length: 120 }, (_, number) => ({
      subject: `Tarde ${number}`,
      created_at: daysAgo(300 - number),
    }));
    await addTickets(app.portaria, await app.newClient('Fausto Melo'), overdue);
    await refuseWebsockets(page);
    await page.clock.install();
    await openSession(page);
    await page.goto('/admin/tickets?busca=Tarde&atrasados=1');
    const links = page.getByRole('table', { name: 'Tickets' }).getByRole('link');
    await expect(links).toHaveCount(50);
    await expect
      .poll(async () => {
        await links.last().scrollIntoViewIfNeeded();
        return links.count();
      })
      .toBe(120);
    // The refresh requests the first page, then the second one.
    const second = await holdRequest(page, /\/rest\/v1\/tickets\?.*offset=50/, 'GET');
    await page.clock.runFor(61_000);
    await second.started;
    await expect(links).toHaveCount(120);
    second.release();
  });
});

test.describe('ticket', () => {
  test('a reply with a file reaches the client', async ({ page, app, browser }) => {
    const client = await app.newClient('Fausto Rios');
    const id = await addTicket(app.portaria, client, { subject: 'Resposta: com arquivo' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    await expect(page.getByRole('log')).toContainText('Fausto Rios');
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(page.getByText('Escreva uma mensagem.')).toBeVisible();
    const field = page.getByLabel('Sua resposta');
    await expect(field).toBeFocused();
    await field.fill('Segue a guia.');
    const file = { name: 'guia – nº 7.txt', mimeType: 'text/plain', buffer: Buffer.from('Guia.') };
    await page.getByLabel('Anexar arquivos').setInputFiles([file]);
    await expect(page.getByText(file.name, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(page.getByText('Resposta enviada')).toBeVisible();
    await expect(page.getByRole('log')).toContainText('Segue a guia.');
    await expect(page.getByText('Sem pendência')).toBeVisible();
    await expect(field).toHaveValue('');
    const clientPage = await browser.newPage({ baseURL: app.portaria.url });
    await openSession(clientPage, client);
    await clientPage.goto(`/tickets/${id}`);
    await expect(clientPage.getByRole('log')).toContainText('Segue a guia.');
    const download = clientPage.waitForEvent('download');
    await clientPage.getByRole('button', { name: `Baixar ${file.name}` }).click();
    expect((await readFile(await (await download).path())).toString()).toBe('Guia.');
    await clientPage.close();
  });

  test('a reply assigns the ticket to its author and closes it', async ({ page, app }) => {
    const client = await app.newClient('Fabiana Lins');
    const id = await addTicket(app.portaria, client, { subject: 'Resposta: que encerra' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    await page.getByLabel('Sua resposta').fill('Resolvido.');
    await page.getByRole('button', { name: 'Responder e fechar' }).click();
    await expect(page.getByText('Resposta enviada e ticket fechado')).toBeVisible();
    await expect(page.getByLabel('Status', { exact: true })).toHaveValue('closed');
    await expect(page.getByRole('button', { name: 'Assumir' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Responder e fechar' })).toBeHidden();
  });

  test('keys reply, assign and close, but not while typing', async ({ page, app }) => {
    const client = await app.newClient('Fátima Reis');
    const id = await addTicket(app.portaria, client, { subject: 'Teclas: atendimento' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    const field = page.getByLabel('Sua resposta');
    await expect(field).toBeVisible();
    await page.keyboard.press('r');
    await expect(field).toBeFocused();
    await page.keyboard.type('era');
    await expect(field).toHaveValue('era');
    await expect(page.getByRole('button', { name: 'Assumir' })).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('log')).toContainText('era');
    await page.getByRole('heading', { level: 1 }).click();
    await field.blur();
    await page.keyboard.press('e');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Fechar ticket' }).click();
    await expect(page.getByLabel('Status', { exact: true })).toHaveValue('closed');
  });

  test('internal notes are visible to the staff only', async ({ page, app, browser }) => {
    const client = await app.newClient('Gilda Nunes');
    const id = await addTicket(app.portaria, client, { subject: 'Nota: entre nós' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    await page.getByRole('button', { name: 'Nota interna' }).click();
    await page.getByLabel('Sua nota').fill('Cliente antigo: tratar com carinho.');
    await page.reload();
    await expect(page.getByLabel('Sua nota')).toHaveValue('Cliente antigo: tratar com carinho.');
    await page.getByRole('button', { name: 'Salvar nota' }).click();
    await expect(page.getByText('Nota salva')).toBeVisible();
    const note = page.getByRole('log').getByRole('listitem').filter({ hasText: 'Cliente antigo' });
    await expect(note).toContainText('Nota interna');
    await expect(page.getByText('Sem pendência')).toBeHidden();
    const clientPage = await browser.newPage({ baseURL: app.portaria.url });
    await openSession(clientPage, client);
    await clientPage.goto(`/tickets/${id}`);
    await expect(clientPage.getByRole('log')).toContainText('Uma mensagem longa o bastante.');
    await expect(clientPage.getByText('Cliente antigo')).toBeHidden();
    await clientPage.close();
  });

  test('status, assignee, priority and category are saved at once', async ({ page, app }) => {
    const client = await app.newClient('Heitor Dias');
    const id = await addTicket(app.portaria, client, { subject: 'Atendimento: escolhas' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    await page.getByRole('button', { name: 'Assumir' }).click();
    await expect(page.getByRole('button', { name: 'Assumir' })).toBeHidden();
    await page.getByLabel('Status', { exact: true }).selectOption('Em andamento');
    const history = page.getByRole('list', { name: 'Mudanças de status' }).getByRole('listitem');
    await expect(history).toHaveText([/^Aberto/, /^Em andamento/]);
    await page.getByLabel('Prioridade').selectOption('Alta');
    await page.getByLabel('Categoria').selectOption('Conta');
    await expect(page.getByText('Ticket atualizado')).toBeVisible();
    await page.getByLabel('Status', { exact: true }).selectOption('Fechado');
    await expect(history).toHaveCount(3);
    await expect(page.getByText('Sem pendência')).toBeVisible();
    await page.reload();
    await expect(page.getByLabel('Status', { exact: true })).toHaveValue('closed');
    await expect(page.getByLabel('Prioridade')).toHaveValue('high');
    await expect(page.getByLabel('Categoria')).toHaveValue('account');
    await page.getByLabel('Responsável').selectOption('Ninguém');
    await expect(page.getByRole('button', { name: 'Assumir' })).toBeVisible();
  });

  test('shows who is writing, and asks before a reply to unseen messages', async ({ page, app, browser }) => {
    const client = await app.newClient('Iara Campos');
    const bia = await createColleague(app.portaria, 'bia.souza@escritorio.com.br', 'Bia Souza');
    const id = await addTicket(app.portaria, client, { subject: 'Dois: ao mesmo tempo' });
    await openSession(page);
    await page.goto(`/admin/tickets/${id}`);
    const colleaguePage = await browser.newPage({ baseURL: app.portaria.url });
    await openSession(colleaguePage, bia);
    await colleaguePage.goto(`/admin/tickets/${id}`);
    await expect(page.getByText('Bia Souza está escrevendo')).toBeHidden();
    await colleaguePage.getByLabel('Sua resposta').fill('Bom dia, Iara!');
    await expect(page.getByText('Bia Souza está escrevendo neste ticket agora.')).toBeVisible(SOON);
    await page.getByLabel('Sua resposta').fill('Olá, Iara!');
    await expect(colleaguePage.getByText('está escrevendo neste ticket agora.')).toBeVisible(SOON);
    await colleaguePage.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(colleaguePage.getByText('Resposta enviada')).toBeVisible();
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    const question = page.getByRole('alertdialog', { name: 'Há mensagens mais novas' });
    await expect(question).toContainText('Bia Souza escreveu neste ticket');
    await question.getByRole('button', { name: 'Voltar e ler' }).click();
    await expect(question).toBeHidden();
    await expect(page.getByRole('log')).toContainText('Bom dia, Iara!');
    await expect(page.getByRole('log')).not.toContainText('Olá, Iara!');
    await expect(page.getByText('Bia Souza está escrevendo')).toBeHidden(SOON);
    await page.getByRole('button', { name: 'Enviar resposta' }).click();
    await expect(page.getByRole('log')).toContainText('Olá, Iara!');
    await colleaguePage.close();
  });

  test('shows that it does not exist', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/tickets/nenhum');
    await expect(page.getByRole('heading', { level: 1, name: 'Ticket não encontrado' })).toBeVisible();
    await page.getByRole('link', { name: 'Voltar para Tickets' }).click();
    await expect(page).toHaveURL('/admin/tickets');
  });
});

test('saved replies › are created, searched, inserted, changed and deleted', async ({ page, app }) => {
  const client = await app.newClient('Júlio Tavares');
  const id = await addTicket(app.portaria, client, { subject: 'Pronta: segunda via' });
  await openSession(page);
  await page.goto(`/admin/tickets/${id}`);
  await page.getByRole('link', { name: 'criar uma resposta pronta' }).click();
  await expect(page.getByText('Nenhuma resposta pronta encontrada')).toBeVisible();
  await page.getByRole('button', { name: 'Nova resposta pronta' }).click();
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('O título é obrigatório.')).toBeVisible();
  await expect(page.getByText('O texto é obrigatório.')).toBeVisible();
  await page.getByLabel('Título *').fill('Segunda via');
  // Closing the dialog asks, since it has unsaved input.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Continuar editando' }).click();
  await page.getByLabel('Texto *').fill('Segue a segunda via, em anexo.');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect(page.getByText('Resposta pronta criada')).toBeVisible();
  await page.getByRole('searchbox').fill('ANEXO');
  await expect(page.getByRole('heading', { name: 'Segunda via' })).toBeVisible();
  await page.getByRole('searchbox').fill('nada disso');
  await expect(page.getByText('Tente ajustar sua busca.')).toBeVisible();
  await page.goto(`/admin/tickets/${id}`);
  await page.getByLabel('Sua resposta').fill('Bom dia!');
  await page.getByLabel('Resposta pronta').selectOption('Segunda via');
  await expect(page.getByLabel('Sua resposta')).toHaveValue('Bom dia!\n\nSegue a segunda via, em anexo.');
  await page.goto('/admin/tickets/respostas-prontas');
  await page.getByRole('button', { name: 'Editar Segunda via' }).click();
  await page.getByLabel('Título *').fill('Segunda via da guia');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByRole('button', { name: 'Excluir Segunda via da guia' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click();
  await expect(page.getByText('Resposta pronta excluída')).toBeVisible();
  await expect(page.getByText('Nenhuma resposta pronta encontrada')).toBeVisible();
});
