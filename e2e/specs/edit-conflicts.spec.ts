// Two administrators edit one record: the second save is refused, and the person chooses the version that stays.

import { type Browser, expect, type Page } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../fixtures/test.ts';
import { expectAccessible } from '../helpers/accessibility.ts';
import { anonClient, expectOk, serviceClient, signIn, unwrap } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { chooseOption } from '../helpers/upload.ts';

const ANA = { email: 'ana.prado@escritorio.com.br', password: 'senha da Ana Prado' };

const conflict = (page: Page) => page.getByRole('dialog', { name: 'A sua alteração ainda não foi salva' });

/** Opens a page a second time, as another administrator in another browser. */
async function openAsAna(browser: Browser, { portaria }: TestApp, path: string): Promise<Page> {
  const { error } = await anonClient(portaria).auth.signInWithPassword(ANA);
  if (error) {
    const account = { ...ANA, email_confirm: true, user_metadata: { full_name: 'Ana Prado' } };
    await unwrap(
      serviceClient(portaria).auth.admin.createUser({ ...account, app_metadata: { roles: ['admin'] } }),
    );
  }
  const context = await browser.newContext({ baseURL: portaria.url });
  const page = await context.newPage();
  await signInAsAdmin(page, ANA);
  await page.goto(path);
  return page;
}

/** Opens a new template with the content 'Texto antigo'. */
async function openTemplate(page: Page, app: TestApp, name: string) {
  const templates = serviceClient(app.portaria).from('email_templates');
  const template = { name, subject: name, event_trigger: 'fatura_new', html_content: '<p>Texto antigo</p>' };
  const { id } = await unwrap(templates.insert(template).select('id').single());
  await signInAsAdmin(page);
  await page.goto(`/admin/email-templates/edit/${id}`);
  const content = page.getByRole('textbox', { name: 'Conteúdo HTML do Email *' });
  await expect(content).toHaveText('Texto antigo');
  return { templates, id, content };
}

async function saveAs(page: Page, label: string, value: string, button: string): Promise<void> {
  await page.getByLabel(label).fill(value);
  await page.getByRole('button', { name: button }).click();
}

test('template › a save over another change is refused, keeps the input, and is repeated on purpose', async ({
  page,
  app,
  browser,
}) => {
  const template = {
    name: 'Fatura nova',
    subject: 'Sua fatura',
    html_content: '<p>Chegou uma fatura.</p>',
    event_trigger: 'fatura_new',
  };
  const templates = serviceClient(app.portaria).from('email_templates');
  const { id } = await unwrap(templates.insert(template).select('id').single());
  const path = `/admin/email-templates/edit/${id}`;
  await signInAsAdmin(page);
  await page.goto(path);
  await expect(page.getByLabel('Assunto do Email')).toHaveValue('Sua fatura');
  const ana = await openAsAna(browser, app, path);
  await ana.getByLabel('Descrição (Interna)').fill('Revisado pela Ana');
  await saveAs(ana, 'Assunto do Email', 'Fatura do mês', 'Salvar Template');
  await expect(ana.getByText('Template atualizado com sucesso!')).toBeVisible();

  await saveAs(page, 'Assunto do Email', 'Fatura da Helena', 'Salvar Template');
  await expect(conflict(page)).toContainText(/Alterado por Ana Prado às \d\d:\d\d,/);
  await expect(conflict(page)).toContainText(/Assunto do Email.*Fatura do mês.*Fatura da Helena/s);
  await expect(conflict(page)).toContainText(/Descrição.*Revisado pela Ana.*Sem alteração sua/s);
  await expectAccessible(page);
  const [saved] = await Promise.all([
    page.context().waitForEvent('page'),
    conflict(page).getByRole('link', { name: 'Ver a versão salva em outra aba' }).click(),
  ]);
  await expect(saved.getByLabel('Assunto do Email')).toHaveValue('Fatura do mês');
  // The draft of the first tab stays.
  await page.reload();
  await expect(page.getByLabel('Assunto do Email')).toHaveValue('Fatura da Helena');
  await page.getByRole('button', { name: 'Salvar Template' }).click();
  await saved.close();

  // Closing the dialog saves nothing, and the next save asks again.
  await conflict(page).getByRole('button', { name: 'Fechar janela' }).click();
  await expect(page.getByLabel('Assunto do Email')).toHaveValue('Fatura da Helena');
  await expect(page.getByLabel('Descrição (Interna)')).toHaveValue('Revisado pela Ana');
  await page.getByRole('button', { name: 'Salvar Template' }).click();
  await conflict(page).getByRole('button', { name: 'Salvar a minha por cima' }).click();
  await expect(page.getByText('Template atualizado com sucesso!')).toBeVisible();
  const { data } = await expectOk(templates.select('subject,description').eq('id', id).single());
  expect(data).toEqual({ subject: 'Fatura da Helena', description: 'Revisado pela Ana' });
  await ana.context().close();
});

test('template › the saved version replaces the input', async ({ page, app }) => {
  const { templates, id, content } = await openTemplate(page, app, 'Boleto');
  await expectOk(templates.update({ html_content: '<p>Texto da Ana</p>' }).eq('id', id));

  await content.fill('Texto da Helena');
  await page.getByRole('button', { name: 'Salvar Template' }).click();
  await expect(conflict(page)).toContainText(/Texto da Ana.*Texto da Helena/s);
  await conflict(page).getByRole('button', { name: 'Usar a versão salva' }).click();
  await expect(content).toHaveText('Texto da Ana');
  await page.getByRole('link', { name: 'Templates de Email' }).first().click();
  await expect(page).toHaveURL('/admin/email-templates');
  const { data } = await expectOk(templates.select('html_content').eq('id', id).single());
  expect(data).toEqual({ html_content: '<p>Texto da Ana</p>' });
});

test('template › the visual editor follows the saved version, and a save of the same value is no conflict', async ({
  page,
  app,
}) => {
  const { templates, id, content } = await openTemplate(page, app, 'Guia');
  const byAna = { subject: 'Guia do mês', html_content: '<p>Texto da Ana</p>' };
  await expectOk(templates.update(byAna).eq('id', id));
  await saveAs(page, 'Assunto do Email', 'Guia do mês', 'Salvar Template');
  // The subject is the same in both versions. The content would be replaced by the old one.
  await expect(conflict(page)).toContainText(/Conteúdo HTML do Email.*Texto da Ana/s);
  await conflict(page).getByRole('button', { name: 'Fechar janela' }).click();
  await expect(content).toHaveText('Texto da Ana');
  await content.press('End');
  await content.pressSequentially(' e da Helena');
  await expect(content).toHaveText('Texto da Ana e da Helena');

  await page.getByRole('link', { name: 'Cancelar' }).click();
  await page.getByRole('button', { name: 'Sair sem salvar' }).click();
  await page.goto(`/admin/email-templates/edit/${id}`);
  await expect(content).toHaveText('Texto da Ana');
  await expectOk(templates.update({ subject: 'Guia de outubro' }).eq('id', id));
  await saveAs(page, 'Assunto do Email', 'Guia de outubro', 'Salvar Template');
  await expect(page.getByText('Template atualizado com sucesso!')).toBeVisible();
});

test('document › a save over another change is refused, and one after the own save is not', async ({
  page,
  app,
  browser,
}) => {
  const dora = await app.newClient('Dora Documento');
  const id = await seedDocument(app, dora, { name: 'Contrato' });
  const path = `/admin/documents/view/${id}`;
  await signInAsAdmin(page);
  await page.goto(path);
  await expect(page.getByLabel('Nome do Documento')).toHaveValue('Contrato');
  // A form without changes shows what Ana saves. This one has a change.
  await page.getByLabel('Nome do Documento').fill('Contrato da Helena');
  const ana = await openAsAna(browser, app, path);
  await chooseOption(ana, 'Pasta', 'Contratos');
  await ana.getByLabel('Status').selectOption('Pendente');
  await saveAs(ana, 'Nome do Documento', 'Contrato da Ana', 'Salvar Alterações');
  await expect(ana.getByText('Documento atualizado com sucesso!')).toBeVisible();

  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(conflict(page)).toContainText(/Alterado por Ana Prado às \d\d:\d\d,/);
  await expect(conflict(page)).toContainText(/Contrato da Ana.*Contrato da Helena/s);
  await expect(conflict(page)).toContainText(/Pasta.*Contratos.*Status.*Pendente/s);
  await conflict(page).getByRole('button', { name: 'Salvar a minha por cima' }).click();
  await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
  await saveAs(page, 'Nome do Documento', 'Contrato final', 'Salvar Alterações');
  await expect(page.getByRole('heading', { level: 1, name: 'Contrato final' })).toBeVisible();
  await expect(conflict(page)).toBeHidden();
  const { data } = await expectOk(
    app.admin.from('documents').select('name,status,folder_id_supabase').eq('id', id).single(),
  );
  expect(data).toEqual({ name: 'Contrato final', status: 'pending', folder_id_supabase: 'contratos' });

  // The type is not among the fields that the form writes.
  await page.getByLabel('Nome do Documento').fill('Contrato com arquivo novo');
  await expectOk(app.admin.from('documents').update({ type: 'docx' }).eq('id', id));
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Contrato com arquivo novo' })).toBeVisible();
  await ana.context().close();
});

test('client › a save over another change is refused, and one after the client’s visit is not', async ({
  page,
  app,
  browser,
}) => {
  const caio = await app.newClient('Caio Cadastro');
  const path = `/admin/clients/edit/${caio.id}`;
  await signInAsAdmin(page);
  await page.goto(path);
  await expect(page.getByLabel('Nome Completo')).toHaveValue('Caio Cadastro');
  const ana = await openAsAna(browser, app, path);
  // A form without input would show the change of the other administrator.
  const password = page.getByLabel('Senha', { exact: true });
  await password.fill('senha nova do Caio');
  await page.getByLabel('Confirmar Senha', { exact: true }).fill('senha nova do Caio');
  // A visit of the client changes the account, and no value of the form.
  await signIn(app.portaria, caio);
  await saveAs(ana, 'Nome Completo', 'Caio da Ana', 'Salvar Alterações');
  await expect(ana.getByText('Cliente atualizado com sucesso!')).toBeVisible();

  await saveAs(page, 'Nome Completo', 'Caio da Helena', 'Salvar Alterações');
  await expect(conflict(page)).toContainText(/Alterado por Ana Prado às \d\d:\d\d,/);
  await expect(conflict(page)).toContainText(/Caio da Ana.*Caio da Helena/s);
  await conflict(page).getByRole('button', { name: 'Usar a versão salva' }).click();
  await expect(page.getByLabel('Nome Completo')).toHaveValue('Caio da Ana');
  await expect(password).toHaveValue('senha nova do Caio');
  await saveAs(page, 'Nome Completo', 'Caio Final', 'Salvar Alterações');
  await expect(page.getByText('Cliente atualizado com sucesso!')).toBeVisible();
  const { data } = await expectOk(
    app.admin.from('clients').select('user_metadata').eq('id', caio.id).single(),
  );
  expect(data?.user_metadata).toEqual({ full_name: 'Caio Final' });
  await ana.context().close();
});
