// Notification settings: which events send mail, and to whom.

import { expect, type Page } from '@playwright/test';

import { holdRequest, openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { unwrap, expectOk, serviceClient, signIn } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';

test.describe.configure({ mode: 'serial' });

const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Salvar Configurações' });

test('notification settings › are saved as ticked; by default documents are off and tickets on', async ({
  page,
  app,
}) => {
  await signInAsAdmin(page);
  await page
    .getByRole('navigation', { name: 'Administração' })
    .getByRole('link', { name: 'Config. Email' })
    .click();
  await expect(
    page.getByRole('heading', { level: 1, name: 'Configurações de Notificação por Email' }),
  ).toBeVisible();
  await expect(page.getByText('esta configuração é global')).toBeVisible();
  await expect(page.getByText('O remetente e o SMTP são gerenciados')).toBeVisible();
  await expect(page.getByText('SMTP não configurado')).toBeVisible();
  for (const [name, boxes] of [
    ['Contrato', 3],
    ['Fatura', 3],
    ['Relatório', 1],
    ['Aviso', 1],
  ] as const) {
    await expect(group(page, name).getByRole('checkbox', { checked: false })).toHaveCount(boxes);
  }
  await expect(group(page, 'Tickets').getByRole('checkbox', { checked: true })).toHaveCount(2);

  await group(page, 'Fatura').getByLabel('Novo documento adicionado').check();
  await group(page, 'Tickets').getByLabel('Ticket criado').uncheck();
  await page.getByRole('link', { name: 'Registro de envios' }).click();
  await page.getByRole('button', { name: 'Continuar editando' }).click();
  await save(page).click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await page.reload();
  await expect(group(page, 'Fatura').getByLabel('Novo documento adicionado')).toBeChecked();
  await expect(group(page, 'Tickets').getByLabel('Ticket criado')).not.toBeChecked();
  const saved = await unwrap(serviceClient(app.portaria).from('email_notification_settings').select());
  expect(saved).toHaveLength(14);
  expect(
    saved
      .filter(({ enabled }) => enabled)
      .map(({ document_type_event: key }) => key)
      .toSorted(),
  ).toEqual([
    'document_reminder',
    'fatura_new',
    'request_new',
    'request_refused',
    'request_reminder',
    'ticket_updated_user',
  ]);
});

test('notification settings › list the recipients and send mail only after a confirmation', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Otávio Recebe');
  const soon = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString();
  await seedDocument(app, person, { name: 'Boleto de novembro', expires: soon });
  await openSession(page);
  await page.goto('/admin/email-config');
  const box = group(page, 'Fatura').getByLabel('Prestes a vencer');
  await box.check();
  await save(page).click();
  const question = page.getByRole('alertdialog', { name: 'Quem receberá?' });
  await expect(question).toContainText('Fatura: prestes a vencer');
  await expect(question).toContainText('1 e-mail: Otávio Recebe');
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await expect(box).toBeChecked();
  await page.reload();
  await expect(box).not.toBeChecked();
  await box.check();
  await save(page).click();
  await question.getByRole('button', { name: 'Salvar e enviar' }).click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await page.reload();
  await expect(box).toBeChecked();

  // A setting without recipients needs no confirmation.
  await group(page, 'Contrato').getByLabel('Vencido').check();
  await save(page).click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await expect(question).toBeHidden();
});

test('notification settings › keep the input if loading or saving fails', async ({ page, app }) => {
  const settings = 'email_notification_settings';
  await signInAsAdmin(page);
  await app.portaria.withBrokenTable(settings, async () => {
    await page.goto('/admin/email-config');
    await expect(page.getByText('Erro ao carregar configurações')).toBeVisible();
    await expect(page.getByRole('main').getByRole('button', { name: 'Tentar novamente' })).toBeVisible();
  });
  await page.getByRole('main').getByRole('button', { name: 'Tentar novamente' }).click();
  const box = group(page, 'Aviso').getByLabel('Novo documento adicionado');
  await box.check();
  await app.portaria.withBrokenTable(settings, async () => {
    await save(page).click();
    await expect(page.getByText('Erro ao salvar configurações')).toBeVisible();
  });
  await expect(box).toBeChecked();
});

test('notification settings › keep a change made during a save', async ({ page }) => {
  await openSession(page);
  await page.goto('/admin/email-config');
  const box = (name: string) => group(page, name).getByLabel('Novo documento adicionado');
  const saving = await holdRequest(page, /\/rest\/v1\/email_notification_settings/, 'POST');
  await box('Fatura').click();
  await save(page).click();
  await saving.started;
  await box('Relatório').check();
  saving.release();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await expect(box('Relatório')).toBeChecked();
});

test('upload form › shows whether the client receives a mail, and why not', async ({ page, app }) => {
  const all = serviceClient(app.portaria).from('email_notification_settings');
  await expectOk(
    all.upsert(
      [
        { document_type_event: 'fatura_new', enabled: true },
        { document_type_event: 'relatorio_new', enabled: false },
      ],
      { onConflict: 'document_type_event' },
    ),
  );
  const person = await app.newClient('Quirino Avisado');
  await openSession(page);
  await page.goto(`/admin/documents/upload?cliente=${person.id}`);
  const line = page.getByRole('status').filter({ hasText: 'Quirino Avisado' });
  const folder = page.getByRole('combobox', { name: 'Pasta *' });
  await folder.fill('Faturas');
  await page.getByRole('option', { name: 'Faturas' }).click();
  await expect(page.getByLabel('Tipo para notificação').locator('option:checked')).toHaveText(
    'Conforme a pasta: Fatura',
  );
  await expect(line).toHaveText('Quirino Avisado recebe um e-mail quando o documento for salvo.');
  // For another client it shows nothing before the response.
  await app.newClient('Renato Outro');
  const audienceRequest = await holdRequest(page, /\/rpc\/mail_audience/, 'POST');
  const client = page.getByRole('combobox', { name: 'Cliente *' });
  await client.fill('Renato');
  await page.getByRole('option', { name: 'Renato Outro' }).click();
  await audienceRequest.started;
  await expect(page.getByText('Renato Outro recebe')).toBeHidden();
  audienceRequest.release();
  await expect(page.getByText('Renato Outro recebe')).toBeVisible();
  await client.fill('Quirino');
  await page.getByRole('option', { name: 'Quirino Avisado' }).click();
  await page.getByLabel('Tipo para notificação').selectOption('Relatório');
  await expect(line).toContainText('“Relatório: novo documento adicionado” está desligado');
  await expect(line.getByRole('link', { name: 'Config. Email' })).toBeVisible();
  await page.getByLabel('Tipo para notificação').selectOption('Conforme a pasta: Fatura');
  await folder.fill('Documentos Pessoais');
  await page.getByRole('option', { name: 'Documentos Pessoais' }).click();
  await expect(line).toContainText('a pasta não tem tipo para notificação');

  const clientApi = await signIn(app.portaria, person);
  await expectOk(clientApi.from('muted_topics').insert({ topic: 'documents' }));
  await page.getByLabel('Tipo para notificação').selectOption('Fatura');
  await expect(line).toContainText('desligou os avisos de documentos');
  await page.getByLabel('Arquivo *').setInputFiles({
    name: 'Boleto.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
  });
  await page.getByRole('button', { name: 'Salvar Documento' }).click();
  await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
  const sent = await unwrap(app.admin.from('documents').select('kind').eq('name', 'Boleto').single());
  expect(sent.kind).toBe('fatura');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`notification settings › have no accessibility violations in the ${colorScheme} theme`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await openSession(page);
    await page.goto('/admin/email-config');
    await expect(save(page)).toBeVisible();
    await expectAccessible(page);
  });
}
