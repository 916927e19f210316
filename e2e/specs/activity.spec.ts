// The activity log and the counters of the dashboard.

import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../fixtures/test.ts';
import { unwrap, expectOk, adminClient, serviceClient, signIn } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { pdfWithText } from '../helpers/pdf.ts';

test.describe.configure({ mode: 'serial' });

const lines = (page: Page) => page.getByRole('table', { name: 'Atividade' }).getByRole('row');

test('activity log › shows events of clients and staff, filtered by kind and person', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Abel Nunes');
  const document = await seedDocument(app, person, { name: 'Contrato social', folder: 'contratos' });
  const client = await signIn(app.portaria, person);
  for (const action of ['downloaded', 'downloaded', 'opened'] as const) {
    await expectOk(client.from('document_receipts').insert({ document_id: document, action }));
  }
  await unwrap(
    client
      .from('tickets')
      .insert({ subject: 'Segunda via', message: 'Uma mensagem longa o bastante.' })
      .select(),
  );

  await signInAsAdmin(page);
  const latest = page.locator('section', { has: page.getByRole('heading', { name: 'Atividade Recente' }) });
  // The dashboard leaves out sign-ins, the page of all events does not.
  await expect(latest.getByRole('listitem').first()).toContainText('Ticket aberto: Segunda via');
  await expect(latest).not.toContainText('Entrou no portal');
  await latest.getByRole('link', { name: 'Ver tudo' }).click();
  await expect(page).toHaveURL('/admin/activity');
  await expect(lines(page).nth(2)).toContainText('Ticket aberto');

  await page.getByLabel('Tipo').selectOption('Documentos');
  await expect(lines(page).nth(1)).toContainText(/Documento aberto.*Abel Nunes.*Contrato social/);
  await expect(lines(page).filter({ hasText: 'Ticket' })).toHaveCount(0);
  await lines(page).nth(1).getByRole('button', { name: 'Abel Nunes' }).click();
  await expect(page).toHaveURL(new RegExp(`tipo=documentos&pessoa=${person.id}`));
  await expect(lines(page)).toHaveText([/./, /Documento aberto/, /baixado/, /baixado/, /Documento enviado/]);

  // The address keeps the filter, and the person's name outlives the account.
  const office = await adminClient(app.portaria, app.admin);
  await unwrap(office.auth.admin.deleteUser(person.id));
  await page.reload();
  await expect(page.getByLabel('Pessoa')).toHaveValue('Abel Nunes');
  await page.getByLabel('Tipo').selectOption('Contas e clientes');
  await expect(lines(page).nth(1)).toContainText(/Conta excluída.*documentos: 1, tickets: 1/);

  await page.getByLabel('Até').fill('2020-01-02');
  await expect(page.getByText('Nenhuma atividade encontrada')).toBeVisible();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(page).toHaveURL('/admin/activity');
  await expect(lines(page).nth(1)).toContainText('Conta excluída');
});

test('activity log › names the place of a file that is stored under an id', async ({ page, app }) => {
  const id = crypto.randomUUID();
  const inbox = app.admin.storage.from('inbox');
  const pdf = new Blob([new Uint8Array(await pdfWithText('Guia'))], { type: 'application/pdf' });
  await unwrap(inbox.upload(`${id}.pdf`, pdf));
  await unwrap(inbox.download(`${id}.pdf`));
  await signInAsAdmin(page);
  const latest = page.locator('section', { has: page.getByRole('heading', { name: 'Atividade Recente' }) });
  await expect(latest).toContainText('Arquivo aberto pela equipe: caixa de entrada');
  await expect(latest).not.toContainText(id);
  await latest.getByRole('link', { name: 'Ver tudo' }).click();
  await expect(lines(page).filter({ hasText: 'Arquivo aberto pela equipe' })).toContainText(
    'caixa de entrada',
  );
  await expect(lines(page).filter({ hasText: id })).toHaveCount(0);
  await expectOk(serviceClient(app.portaria).from('inbox_files').delete().eq('file_url', `${id}.pdf`));
});

test('activity log › is exported as a CSV file without formulas', async ({ page, app }) => {
  const office = serviceClient(app.portaria);
  await expectOk(office.from('folders').insert({ id_supabase: 'formula', name: '=HYPERLINK("http://x")' }));
  await openSession(page);
  await page.goto('/admin/activity?tipo=pastas');
  await expect(lines(page).nth(1)).toContainText('=HYPERLINK');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Exportar CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^atividade-\d{4}-\d{2}-\d{2}\.csv$/);
  const text = await readFile(await file.path(), 'utf8');
  expect(text.startsWith('\uFEFF"Número";"Quando";"Quem"')).toBe(true);
  expect(text).toMatch(/\n"\d+";"\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}";/);
  expect(text).toContain(`"Sistema";"Pasta criada";"'=HYPERLINK(""http://x"")"`);
});

test('activity log › loads further pages on scrolling', async ({ page, app }) => {
  const office = serviceClient(app.portaria);
  const folders = Array.from({ length: 120 }, (_, number) => ({
    id_supabase: `p${number}`,
    name: `Pasta ${number}`,
  }));
  await expectOk(office.from('folders').insert(folders));
  await openSession(page);
  await page.goto('/admin/activity?tipo=pastas');
  // One row is the table's header, and one more folder was created by an earlier test.
  await expect(lines(page)).toHaveCount(51);
  await lines(page).nth(50).scrollIntoViewIfNeeded();
  await expect(lines(page)).toHaveCount(101);
  await lines(page).nth(100).scrollIntoViewIfNeeded();
  await expect(lines(page)).toHaveCount(122);
  await expect(page.getByRole('button', { name: 'Carregar mais' })).toHaveCount(0);
});

test('activity log › shows a failed request and loads again', async ({ page }) => {
  await signInAsAdmin(page);
  await page.route('**/rest/v1/activity*', (route) => route.abort());
  await page.goto('/admin/activity');
  await expect(page.getByRole('alert').filter({ hasText: 'Não foi possível carregar' })).toBeVisible();
  await page.unroute('**/rest/v1/activity*');
  await page.getByRole('button', { name: 'Tentar novamente' }).click();
  await expect(lines(page).nth(1)).toBeVisible();
});

test('dashboard › counts unanswered tickets, unopened documents, clients and documents', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Berta Lima');
  const client = await signIn(app.portaria, person);
  const openTicket = (subject: string) =>
    unwrap(
      client
        .from('tickets')
        .insert({ subject, message: 'Uma mensagem longa o bastante.' })
        .select('id')
        .single(),
    );
  await openTicket('Sem resposta');
  const answered = await openTicket('Com resposta');
  await expectOk(app.admin.from('ticket_messages').insert({ ticket_id: answered.id, body: 'Pois não?' }));
  const noted = await openTicket('Só com nota');
  await expectOk(
    app.admin.from('ticket_messages').insert({ ticket_id: noted.id, body: 'Ligar.', internal: true }),
  );
  const soon = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString();
  await seedDocument(app, person, { name: 'Boleto por abrir', expires: soon });
  const opened = await seedDocument(app, person, { name: 'Boleto aberto', expires: soon });
  await expectOk(client.from('document_receipts').insert({ document_id: opened, action: 'opened' }));

  await signInAsAdmin(page);
  const panel = page.locator('section', {
    has: page.getByRole('heading', { level: 2, name: 'Precisa de atenção' }),
  });
  await expect(panel.getByRole('listitem')).toHaveText([
    /Sem resposta.*responder até.*Responder/,
    /Só com nota/,
    /Boleto por abrir.*vence em.*Lembrar/,
  ]);
  await panel.getByRole('button', { name: 'Lembrar: Boleto por abrir' }).click();
  const reminder = page.getByRole('alertdialog', { name: 'Enviar lembretes' });
  await expect(reminder).toContainText('O cliente deste documento será lembrado por e-mail.');
  await reminder.getByRole('button', { name: 'Cancelar' }).click();
  await expect(panel.getByRole('heading', { name: 'Tickets sem resposta' })).toContainText('2');
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: /^Clientes/ })).toContainText('1');
  await expect(main.getByRole('link', { name: /^Documentos/ })).toContainText('2');
  await expect(main.getByRole('link', { name: /^Tickets Abertos/ })).toContainText('3');
});
