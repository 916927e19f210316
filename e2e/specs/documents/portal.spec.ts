// Folders and documents of a client: counts, search, expiry, marks of new documents, and long lists.

import { expect } from '@playwright/test';

import { openSession, signInAsClient, test } from '../../fixtures/test.ts';
import { unwrap, serviceClient } from '../../helpers/api.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { seedDocument, seedDocuments } from '../../helpers/documents.ts';

test("folder list › shows the client's own counts and is searched while typing", async ({ page, app }) => {
  const [person, other] = [await app.newClient('Dora Paiva'), await app.newClient('Elton Reis')];
  await seedDocument(app, person, { name: 'Contrato', folder: 'contratos' });
  await seedDocument(app, other, { name: 'De outro', folder: 'contratos' });
  await seedDocument(app, other, { name: 'De outro', folder: 'faturas' });
  await openSession(page, person);
  await page.goto('/documents');
  await expect(page.getByRole('link', { name: /Contratos/ })).toContainText('1 documento');
  await expect(page.getByRole('link', { name: /Faturas/ })).toContainText('0 documentos');
  await expect(page.getByRole('link', { name: 'Ver Calendário' })).toHaveAttribute('href', '/calendar');

  const search = page.getByPlaceholder('Buscar pastas...');
  await search.fill('CONTRÁT');
  await expect(page.getByRole('link', { name: /Contratos/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /Faturas/ })).toBeHidden();
  await search.fill('nada disso');
  await expect(page.getByText('Nenhuma pasta encontrada')).toBeVisible();
  await expect(page.getByText('Não há pastas disponíveis')).toBeVisible();
  await page.getByRole('button', { name: 'Limpar busca' }).click();

  await page.getByRole('link', { name: /Faturas/ }).click();
  await expect(page).toHaveURL('/documents/faturas');
  await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
  await expect(page.getByText('Esta pasta está vazia')).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
  await expect(page).toHaveURL('/documents');
});

test('folder list › its search finds documents of all folders, by name without accents', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Dirce Procura');
  await seedDocument(app, person, { name: 'Declaração de faturamento', folder: 'contratos' });
  await seedDocument(app, person, { name: 'DAS de outubro', folder: 'faturas' });
  // Names that the server takes for matches, more than a page of them.
  await seedDocuments(
    app,
    person,
    Array.from({ length: 60 }, (_, at) => `Relatório dos gastos ${at}`),
  );
  await openSession(page, person);
  await page.goto('/documents');
  const search = page.getByPlaceholder('Buscar pastas...');
  const found = page.getByRole('list', { name: 'Documentos encontrados' });
  await search.fill('declaracao');
  await expect(found.getByRole('link')).toHaveText([/^Declaração de faturamento.*Contratos/]);
  await expect(page.getByText('Nenhuma pasta encontrada')).toBeHidden();
  await search.fill('das');
  await expect(found.getByRole('link')).toHaveText([/^DAS de outubro.*Faturas/]);
  // A name of a folder shows the folder, and the documents whose name contains it.
  await search.fill('fatura');
  await expect(page.getByRole('link', { name: /^Faturas/ })).toBeVisible();
  await expect(found.getByRole('link')).toHaveText([/^Declaração de faturamento/]);
  await found.getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Declaração de faturamento' })).toBeVisible();
});

test('folder › shows that it does not exist', async ({ page, app }) => {
  await openSession(page, await app.newClient('Olívia Braga'));
  await page.goto('/documents/nenhuma');
  await expect(page.getByRole('heading', { level: 1, name: 'Pasta não encontrada' })).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
  await expect(page).toHaveURL('/documents');
});

test('document card › shows type, date and expiry with its color', async ({ page, app }) => {
  const person = await app.newClient('Flora Dias');
  const [past, future] = [dayFromNow(-3), dayFromNow(30)];
  await seedDocument(app, person, { name: 'Guia vencida', expires: past });
  await seedDocument(app, person, { name: 'Guia a vencer', expires: future });
  await seedDocument(app, person, { name: 'Sem prazo' });
  await openSession(page, person);
  await page.goto('/documents/faturas');
  const line = (name: string, text: string) => page.getByRole('link', { name }).getByText(text);
  const expired = line('Guia vencida', `Vencido em ${formatDay(past)}`);
  const due = line('Guia a vencer', `Vence em ${formatDay(future)}`);
  await expect(expired).toHaveCSS('color', 'rgb(179, 38, 30)');
  await expect(due).toHaveCSS('color', 'rgb(138, 82, 0)');
  const card = page.getByRole('link', { name: 'Sem prazo' });
  await expect(card).toContainText(`PDF · Criado em ${formatDay(dayFromNow(0))}`);
  await expect(card).not.toContainText('Venc');

  await page.getByPlaceholder('Buscar documentos...').fill('gúia a');
  await expect(due).toBeVisible();
  await expect(expired).toBeHidden();
  await page.getByPlaceholder('Buscar documentos...').fill('inexistente');
  await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
});

test('new documents › are marked until opened, and each opening and download is recorded', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Gina Torres');
  const id = await seedDocument(app, person, { name: 'Balancete' });
  await seedDocument(app, person, { name: 'À espera', status: 'pending' });
  const bare = await seedDocument(app, person, { name: 'Sem arquivo', file: null });
  const receipts = async () => {
    const rows = await unwrap(
      serviceClient(app.portaria)
        .from('document_receipts')
        .select('action,document_id')
        .eq('client_id', person.id)
        .order('created_at'),
    );
    return rows.map((row) => [row['document_id'], row['action']]);
  };

  await openSession(page, person);
  await page.goto('/documents');
  await expect(page.getByRole('link', { name: /Faturas/ })).toContainText('1 novo');
  await page.getByRole('link', { name: /Faturas/ }).click();
  await expect(
    page.getByRole('link', { name: 'Balancete' }).getByText('Novo', { exact: true }),
  ).toBeVisible();
  await expect(page.getByText('Novo', { exact: true })).toHaveCount(1);

  await page.getByRole('link', { name: 'Balancete' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Balancete' })).toBeVisible();
  await expect.poll(receipts).toEqual([[id, 'opened']]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar Documento' }).click();
  await download;
  await expect.poll(receipts).toEqual([
    [id, 'opened'],
    [id, 'downloaded'],
  ]);

  await page.getByRole('link', { name: 'Voltar para Faturas' }).click();
  await expect(page.getByRole('link', { name: 'Balancete' })).toBeVisible();
  await expect(page.getByText('Novo', { exact: true })).toHaveCount(0);

  await page.goto(`/documents/view/${bare}`);
  await page.getByRole('button', { name: 'Baixar Documento' }).click();
  await expect(page.getByText('Arquivo não disponível')).toBeVisible();
  expect(await receipts()).toHaveLength(2);
});

test('folder › loads 5,000 documents page by page and searches them on the server', async ({ page, app }) => {
  const person = await app.newClient('Hugo Maciel');
  const names = Array.from({ length: 5_000 }, (_, index) => `Comprovante ${String(index).padStart(4, '0')}`);
  names[17] = 'Certidão de nascimento';
  await seedDocuments(app, person, names);
  await openSession(page, person);
  await page.goto('/documents');
  const folder = page.getByRole('link', { name: /Contratos/ });
  await expect(folder).toContainText('5.000 documentos');
  await folder.click();
  const cards = page.getByRole('main').getByRole('listitem');
  await expect(cards).toHaveCount(50);
  await cards.last().scrollIntoViewIfNeeded();
  await expect(cards).toHaveCount(100);
  await page.getByPlaceholder('Buscar documentos...').fill('certidao');
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText('Certidão de nascimento');
});

test('folder › a failed page is requested again only by its button', async ({ page, app }) => {
  const person = await app.newClient('Iara Falha');
  await seedDocuments(
    app,
    person,
    Array.from({ length: 60 }, (_, index) => `Recibo ${index}`),
  );
  await signInAsClient(page, person);
  let requestCount = 0;
  await page.route(/\/rest\/v1\/documents\?.*offset=50/, (route) => {
    requestCount += 1;
    return route.fulfill({ status: 403, json: { code: '42501' } });
  });
  await page.goto('/documents/contratos');
  const cards = page.getByRole('main').getByRole('listitem');
  await expect(cards).toHaveCount(50);
  const more = page.getByRole('button', { name: 'Carregar mais' });
  await more.scrollIntoViewIfNeeded();
  await expect(page.getByText('Erro de Conexão')).toBeVisible();
  // The page checks for the end of the list on every animation frame.
  await page.evaluate(async () => {
    for (let index = 0; index < 60; index += 1) await new Promise(requestAnimationFrame);
  });
  expect(requestCount).toBe(1);
  await expect(cards).toHaveCount(50);
  await page.unrouteAll();
  await more.click();
  await expect(cards).toHaveCount(60);
});
