// Documents that clients did not open: the list, its filters, reminders, WhatsApp and deliveries by other means.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { expectOk, type Person, signIn, unwrap } from '../../helpers/api.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Documentos não abertos' }).getByRole('row');
const range = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Vencimento' }).getByRole('button', { name });

/** Documents of one client: overdue, due in three days, and one that the client opened. */
async function seedClient(app: TestApp, name: string): Promise<Person> {
  const person = await app.newClient(name);
  await seedDocument(app, person, { name: `Guia vencida de ${name}`, expires: dayFromNow(-3) });
  await seedDocument(app, person, { name: `Guia de ${name}`, expires: dayFromNow(3) });
  const opened = await seedDocument(app, person, { name: `Guia aberta de ${name}`, expires: dayFromNow(2) });
  const client = await signIn(app.portaria, person);
  await expectOk(client.from('document_receipts').insert({ document_id: opened, action: 'opened' }));
  return person;
}

test('unopened › the dashboard leads to the list, which keeps its filters on reload', async ({
  page,
  app,
}) => {
  const person = await seedClient(app, 'Aida Filtro');
  await seedDocument(app, person, { name: 'Contrato sem prazo de Aida Filtro', folder: 'contratos' });
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Ver todos os não abertos' }).click();
  await expect(page).toHaveURL('/admin/unopened');
  await page.getByRole('combobox', { name: 'Cliente' }).fill('aida');
  await page.getByRole('option', { name: /Aida Filtro/ }).click();
  await expect(page).toHaveURL(`/admin/unopened?cliente=${person.id}`);
  // By due date; a document without one is the last.
  await expect(rows(page)).toContainText([
    'Documento',
    'Guia vencida de Aida Filtro',
    'Guia de Aida Filtro',
    'Contrato sem prazo de Aida Filtro',
  ]);
  await expect(rows(page)).toHaveCount(4);
  await expect(range(page, 'Todos')).toHaveText('Todos3');
  await expect(range(page, 'Vencidos')).toHaveText('Vencidos1');
  await range(page, 'Em 7 dias').click();
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await expect(page).toHaveURL(`/admin/unopened?cliente=${person.id}&vencimento=7-dias`);
  await expect(page.getByRole('combobox', { name: 'Cliente' })).toHaveValue('Aida Filtro');
  await expect(rows(page)).toHaveCount(2);
  await page.getByLabel('Pasta').selectOption('Contratos');
  await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(page).toHaveURL('/admin/unopened');
  await expectAccessible(page);
});

test('unopened › long names leave the actions within the table', async ({ page, app }) => {
  const person = await app.newClient(
    'Panificadora e Confeitaria Santa Rita de Cássia do Vale do Paraíba Ltda',
  );
  const name = 'FGTS Digital – folha de pagamento de outubro de 2026 com rescisões complementares';
  await seedDocument(app, person, { name, expires: dayFromNow(2) });
  await page.setViewportSize({ width: 1440, height: 900 });
  await signInAsAdmin(page);
  await page.goto(`/admin/unopened?cliente=${person.id}`);
  await expect(rows(page)).toHaveCount(2);
  const list = page.getByRole('table', { name: 'Documentos não abertos' });
  const [width, room] = await list.evaluate((table) => [table.scrollWidth, table.parentElement?.clientWidth]);
  expect(width).toBe(room);
  // Two lines of a long name are as high as one.
  expect((await rows(page).nth(1).boundingBox())?.height).toBeLessThan(50);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: `Ações de ${name}` }).click();
  await expect(page.getByRole('menuitem', { name: 'WhatsApp' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Ver cliente' }).click();
  await expect(page.getByRole('heading', { level: 1, name: person.name })).toBeVisible();
});

test('unopened › reminders leave once a day and are recorded', async ({ page, app }) => {
  const person = await seedClient(app, 'Bento Lembrado');
  await signInAsAdmin(page);
  await page.goto(`/admin/unopened?cliente=${person.id}`);
  await page.getByRole('button', { name: 'Selecionar os 2 documentos' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 selecionados' })).toBeVisible();
  const remind = async () => {
    await page.getByRole('button', { name: 'Lembrar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Lembrar' }).click();
  };
  await remind();
  await expect(page.getByText('2 lembretes na fila de e-mails')).toBeVisible();
  await expect(rows(page).nth(1)).toContainText('Lembrado por e-mail');
  const queued = await unwrap(
    app.admin.from('outbox').select('subject').eq('event', 'document_reminder').eq('user_id', person.id),
  );
  expect(queued.map(({ subject }) => subject).toSorted()).toEqual([
    'Ainda não aberto: Guia de Bento Lembrado',
    'Ainda não aberto: Guia vencida de Bento Lembrado',
  ]);
  await page.getByRole('checkbox', { name: 'Selecionar Guia de Bento Lembrado' }).check();
  await remind();
  await expect(page.getByText('Nenhum lembrete novo')).toBeVisible();
  await expect(page.getByText('1 já lembrado hoje')).toBeVisible();
});

test('unopened › WhatsApp opens with the number and the text, which is recorded', async ({ page, app }) => {
  const person = await seedClient(app, 'Clara Zap');
  await signInAsAdmin(page);
  await page.goto(`/admin/clients/edit/${person.id}`);
  await page.getByLabel('Telefone com WhatsApp').fill('1234');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Telefone inválido. Inclua o DDD.')).toBeVisible();
  await page.getByLabel('Telefone com WhatsApp').fill('11 98765 4321');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Cliente atualizado com sucesso!')).toBeVisible();
  await page.goto(`/admin/clients/view/${person.id}`);
  await expect(page.getByText('(11) 98765-4321')).toBeVisible();

  await page.goto(`/admin/unopened?cliente=${person.id}&vencimento=7-dias`);
  await page.context().route('https://wa.me/**', (route) => route.fulfill({ body: 'WhatsApp' }));
  const opening = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'WhatsApp para Clara Zap sobre Guia de Clara Zap' }).click();
  const opened = await opening;
  await opened.waitForURL('https://wa.me/**');
  const address = new URL(opened.url());
  expect(address.origin + address.pathname).toBe('https://wa.me/5511987654321');
  expect(address.searchParams.get('text')).toContain(
    `Olá, Clara Zap! O documento "Guia de Clara Zap" (vence em ${formatDay(dayFromNow(3))}) está no portal`,
  );
  expect(address.searchParams.get('text')).toContain(`${app.portaria.url}/d/`);
  await opened.close();
  await expect(rows(page).nth(1)).toContainText('WhatsApp aberto');
});

test('unopened › a delivery by other means needs a note and leaves the list', async ({ page, app }) => {
  const person = await seedClient(app, 'Davi Balcão');
  await signInAsAdmin(page);
  await page.goto(`/admin/unopened?cliente=${person.id}`);
  await page.getByRole('checkbox', { name: 'Selecionar Guia vencida de Davi Balcão' }).check();
  await page.getByRole('button', { name: 'Marcar como entregue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect(dialog.getByText('Diga como o documento foi entregue.')).toBeVisible();
  await dialog.getByLabel('Como foi entregue').fill('Impresso, no balcão');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect(page.getByText('1 documento marcado como entregue')).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText('Guia de Davi Balcão');
  const contacts = await unwrap(
    app.admin.from('document_contacts').select('kind,note').eq('client_id', person.id),
  );
  expect(contacts).toEqual([{ kind: 'delivery', note: 'Impresso, no balcão' }]);
});

test('unopened › automatic reminders are added, refused and removed', async ({ page }) => {
  await signInAsAdmin(page);
  const dialog = page.getByRole('dialog', { name: 'Lembretes automáticos' });
  const open = async () => {
    await page.goto('/admin/unopened');
    await page.getByRole('button', { name: 'Lembretes automáticos' }).click();
  };
  await open();
  await expect(dialog.getByText('Nenhum lembrete automático.')).toBeVisible();
  const add = dialog.getByRole('button', { name: 'Adicionar lembrete' });
  const list = dialog.getByRole('list', { name: 'Lembretes automáticos' });
  const days = dialog.getByRole('textbox', { name: 'Dias' });
  // The answer is lost, and the list shows the rule nevertheless.
  await page.route(
    (url) => url.pathname === '/rest/v1/reminder_rules' && !url.searchParams.has('select'),
    (route) => route.fetch().then(() => route.abort()),
    { times: 1 },
  );
  await add.click();
  await expect(list.getByRole('listitem')).toHaveText(['2 dias úteis antes · documentos e solicitações']);
  await add.click();
  await expect(dialog.getByText('Este lembrete já existe.')).toBeVisible();
  await days.fill('61');
  await add.click();
  await expect(dialog.getByText('De 1 a 60 dias.')).toBeVisible();
  await days.fill('1');
  await dialog.getByLabel('Quando').selectOption('dias úteis depois');
  await dialog.getByRole('combobox', { name: 'O quê' }).selectOption('DAS');
  await add.click();
  await dialog.getByLabel('Quando').selectOption('no dia');
  await add.click();
  await expect(list.getByRole('listitem')).toHaveText([
    '2 dias úteis antes · documentos e solicitações',
    'No dia do vencimento · DAS',
    '1 dia útil depois · DAS',
  ]);
  // The same days and category may also be for the staff.
  await dialog.getByRole('combobox', { name: 'Avisar' }).selectOption('Responsável, em Notificações');
  await add.click();
  await expect(list.getByRole('listitem').nth(2)).toHaveText('No dia do vencimento · DAS · avisa a equipe');
  await dialog.getByRole('combobox', { name: 'Avisar' }).selectOption('O cliente, por notificação');
  await add.click();
  await expect(list.getByRole('listitem').nth(2)).toHaveText('No dia do vencimento · DAS · por notificação');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await open();
    await expect(list).toBeVisible();
    await expectAccessible(page, { include: '[role=dialog]' });
  }
  for (const left of [4, 3, 2, 1, 0]) {
    await dialog
      .getByRole('button', { name: /^Excluir/ })
      .first()
      .click();
    await expect(list.getByRole('listitem')).toHaveCount(left);
  }
  await expect(dialog.getByText('Nenhum lembrete automático.')).toBeVisible();
});
