// Folders and what lies in them (spec §2.3): counts, search, expiry lines, marks of what is new, very many.

import { expect } from '@playwright/test';

import { signInAsClient, test } from '../../fixtures/test.ts';
import { unwrap, serviceClient } from '../../helpers/api.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { seedDocument, seedDocuments } from '../../helpers/documents.ts';

test('folders show their own counts and are found while typing', async ({ page, app }) => {
  const [person, other] = [await app.newClient('Dora Paiva'), await app.newClient('Elton Reis')];
  await seedDocument(app, person, { name: 'Contrato', folder: 'contratos' });
  await seedDocument(app, other, { name: 'De outro', folder: 'contratos' });
  await seedDocument(app, other, { name: 'De outro', folder: 'faturas' });
  await signInAsClient(page, person);
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

test('a folder that is none says so', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Olívia Braga'));
  await page.goto('/documents/nenhuma');
  await expect(page.getByRole('heading', { level: 1, name: 'Pasta não encontrada' })).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
  await expect(page).toHaveURL('/documents');
});

test('a document tells its type, its date and its expiry in the right colour', async ({ page, app }) => {
  const person = await app.newClient('Flora Dias');
  const [past, future] = [dayFromNow(-3), dayFromNow(30)];
  await seedDocument(app, person, { name: 'Guia vencida', expires: past });
  await seedDocument(app, person, { name: 'Guia a vencer', expires: future });
  await seedDocument(app, person, { name: 'Sem prazo' });
  await signInAsClient(page, person);
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

test('what is new is marked until it is opened, and each opening and download is on record', async ({
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

  await signInAsClient(page, person);
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

test('five thousand documents are read a page at a time and found while typing', async ({ page, app }) => {
  const person = await app.newClient('Hugo Maciel');
  const names = Array.from({ length: 5_000 }, (_, at) => `Comprovante ${String(at).padStart(4, '0')}`);
  names[17] = 'Certidão de nascimento';
  await seedDocuments(app, person, names);
  await signInAsClient(page, person);
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

test('a page of documents that cannot be read is asked for again by its button alone', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Iara Falha');
  await seedDocuments(
    app,
    person,
    Array.from({ length: 60 }, (_, at) => `Recibo ${at}`),
  );
  await signInAsClient(page, person);
  let asked = 0;
  await page.route(/\/rest\/v1\/documents\?.*offset=50/, (route) => {
    asked += 1;
    return route.fulfill({ status: 403, json: { code: '42501' } });
  });
  await page.goto('/documents/contratos');
  const cards = page.getByRole('main').getByRole('listitem');
  await expect(cards).toHaveCount(50);
  const more = page.getByRole('button', { name: 'Carregar mais' });
  await more.scrollIntoViewIfNeeded();
  await expect(page.getByText('Erro de Conexão')).toBeVisible();
  // The foot of the list is looked for once for each picture that is drawn.
  await page.evaluate(async () => {
    for (let at = 0; at < 60; at += 1) await new Promise(requestAnimationFrame);
  });
  expect(asked).toBe(1);
  await expect(cards).toHaveCount(50);
  await page.unrouteAll();
  await more.click();
  await expect(cards).toHaveCount(60);
});
