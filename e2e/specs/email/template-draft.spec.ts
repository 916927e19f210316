// Input of a template form that is not saved yet survives the end of a session and a reload.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../../fixtures/test.ts';
import { expectOk, serviceClient, signIn, unwrap } from '../../helpers/api.ts';

const KEPT = 'Sua sessão terminou. Entre novamente; o que você escreveu foi guardado.';
const RESTORED = 'O que você escreveu antes continua aqui, e ainda não foi salvo.';

const subject = (page: Page) => page.getByLabel('Assunto do Email');
const content = (page: Page) => page.getByRole('textbox', { name: 'Conteúdo HTML do Email *' });

/** Creates an administrator whose sessions the test may end. */
async function createAdmin({ portaria }: TestApp, email: string) {
  const person = { email, password: 'senha da Bia Ramos' };
  const account = { ...person, email_confirm: true, app_metadata: { roles: ['admin'] } };
  await unwrap(serviceClient(portaria).auth.admin.createUser(account));
  return person;
}

test('template draft › is kept and offered after the next sign-in if the session has ended', async ({
  page,
  app,
}) => {
  const bia = await createAdmin(app, 'bia.ramos@escritorio.com.br');
  await signInAsAdmin(page, bia);
  await page.goto('/admin/email-templates/new');
  await page.getByLabel('Nome do Template').fill('Boleto novo');
  await subject(page).fill('Seu boleto');
  await page.getByLabel('Gatilho do Evento').selectOption('fatura_new');
  await content(page).fill('Chegou um boleto.');
  const elsewhere = await signIn(app.portaria, bia);
  expect((await elsewhere.auth.signOut({ scope: 'global' })).error).toBeNull();
  // At once: a page that found the end of the session by itself has no form any more.
  await page.evaluate(() => document.querySelector<HTMLButtonElement>('main button[type=submit]')?.click());
  await expect(page).toHaveURL('/admin/login');
  await expect(page.getByText(KEPT, { exact: true })).toBeVisible();

  await page.getByLabel('E-mail').fill(bia.email);
  await page.getByLabel('Senha', { exact: true }).fill(bia.password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page).toHaveURL('/admin/email-templates/new');
  await expect(page.getByText(RESTORED)).toBeVisible();
  await expect(page.getByLabel('Nome do Template')).toHaveValue('Boleto novo');
  await expect(content(page)).toHaveText('Chegou um boleto.');
  await page.getByRole('button', { name: 'Criar Template' }).click();
  await expect(page.getByText('Template criado com sucesso!')).toBeVisible();
  await page.goto('/admin/email-templates/new');
  await expect(page.getByLabel('Nome do Template')).toHaveValue('');
  await expect(page.getByText(RESTORED)).toBeHidden();
});

test('template draft › keeps the version on which it is based, until it is discarded', async ({
  page,
  app,
}) => {
  const caio = await createAdmin(app, 'caio.reis@escritorio.com.br');
  const templates = serviceClient(app.portaria).from('email_templates');
  const template = {
    name: 'Fatura nova',
    subject: 'Sua fatura',
    html_content: '<p>Chegou uma fatura.</p>',
    event_trigger: 'fatura_new',
  };
  const { id } = await unwrap(templates.insert(template).select('id').single());
  await signInAsAdmin(page, caio);
  await page.goto(`/admin/email-templates/edit/${id}`);
  await expect(content(page)).toHaveText('Chegou uma fatura.');
  await subject(page).fill('Fatura do Caio');
  await content(page).fill('Texto do Caio');
  await expectOk(templates.update({ subject: 'Fatura da Ana' }).eq('id', id));
  await page.reload();
  await expect(subject(page)).toHaveValue('Fatura do Caio');
  await expect(content(page)).toHaveText('Texto do Caio');
  await page.getByRole('button', { name: 'Salvar Template' }).click();
  const conflict = page.getByRole('dialog', { name: 'A sua alteração ainda não foi salva' });
  await expect(conflict).toContainText(/Fatura da Ana.*Fatura do Caio/s);
  await conflict.getByRole('button', { name: 'Fechar janela' }).click();

  await page.getByRole('link', { name: 'Cancelar' }).click();
  await page.getByRole('button', { name: 'Sair sem salvar' }).click();
  await expect(page).toHaveURL('/admin/email-templates');
  await page.goto(`/admin/email-templates/edit/${id}`);
  await expect(subject(page)).toHaveValue('Fatura da Ana');
  await expect(content(page)).toHaveText('Chegou uma fatura.');
});
