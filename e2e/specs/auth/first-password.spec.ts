// First access of a client: welcome mail, required change of password, and correction of the address.

import { expect, type Page } from '@playwright/test';

import { submitAdminSignIn, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { signIn } from '../../helpers/api.ts';

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Clientes' }).getByRole('row', { name });

async function mailsTo(app: TestApp, recipient: string): Promise<string[]> {
  const mails = await app.portaria.mails();
  return mails.filter((mail) => mail.recipient === recipient).map(({ event }) => event);
}

async function submitSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

test('new client › is welcomed by mail, must change the password, and is marked until the first sign-in', async ({
  page,
  browser,
  app,
}) => {
  const email = 'tereza@primeiro.com.br';
  await submitAdminSignIn(page);
  await page.goto('/admin/clients/new');
  await page.getByLabel('Nome Completo').fill('Tereza Primeira');
  await page.getByLabel('Email').fill(email);
  await expect(page.getByText('O cliente recebe um e-mail de boas-vindas, sem a senha')).toBeVisible();
  await page.getByLabel('Senha', { exact: true }).fill('dita por telefone');
  await page.getByLabel('Confirmar Senha', { exact: true }).fill('dita por telefone');
  await page.getByLabel('Exigir troca no primeiro acesso').check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Criar Cliente' }).click();
  await expect(page.getByText('Cliente criado com sucesso!')).toBeVisible();
  await expect(row(page, 'Tereza Primeira')).toContainText('Ainda não entrou');
  expect(await mailsTo(app, email)).toEqual(['welcome']);

  const context = await browser.newContext({ baseURL: app.portaria.url });
  const tereza = await context.newPage();
  await tereza.goto('/calendar');
  await submitSignIn(tereza, email, 'dita por telefone');
  await expect(tereza).toHaveURL('/atualizar-senha');
  await expect(tereza.getByText('Escolha uma que só você conheça para continuar.')).toBeVisible();
  await expectAccessible(tereza);
  // No route leads past the change of password.
  await tereza.goto('/documents');
  await expect(tereza).toHaveURL('/atualizar-senha');
  await tereza.getByRole('button', { name: 'Sair' }).click();
  await expect(tereza).toHaveURL('/login');
  await submitSignIn(tereza, email, 'dita por telefone');
  const submitNewPassword = async (password: string) => {
    await tereza.getByLabel('Nova senha', { exact: true }).fill(password);
    await tereza.getByLabel('Confirmar nova senha', { exact: true }).fill(password);
    await tereza.getByRole('button', { name: 'Atualizar Senha' }).click();
  };
  await submitNewPassword('dita por telefone');
  await expect(tereza.getByText('A nova senha precisa ser diferente da atual.').first()).toBeVisible();
  await submitNewPassword('só a Tereza sabe');
  await expect(tereza.getByText('Senha atualizada com sucesso!').first()).toBeVisible();
  await expect(tereza).toHaveURL('/login');
  await submitSignIn(tereza, email, 'só a Tereza sabe');
  await expect(tereza).toHaveURL('/');
  await context.close();

  await page.reload();
  await expect(row(page, 'Tereza Primeira')).not.toContainText('Ainda não entrou');
});

test('password set by staff › can require a change at the next sign-in', async ({ page, app }) => {
  const client = await app.newClient('Ulisses Esqueceu');
  await submitAdminSignIn(page);
  await page.goto(`/admin/clients/edit/${client.id}`);
  const choice = page.getByLabel('Exigir troca no próximo acesso');
  await expect(page.getByLabel('Senha', { exact: true })).toBeVisible();
  await expect(choice).toBeHidden();
  await page.getByLabel('Senha', { exact: true }).fill('outra por telefone');
  await page.getByLabel('Confirmar Senha', { exact: true }).fill('outra por telefone');
  await choice.check();
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Cliente atualizado com sucesso!')).toBeVisible();
  const ulisses = await signIn(app.portaria, { ...client, password: 'outra por telefone' });
  const { error } = await ulisses.from('documents').select();
  expect(error?.code).toBe('password_change_required');
});

test.describe("client's address", () => {
  test('an unused one is corrected, which ends its access and welcomes the new one', async ({
    page,
    app,
  }) => {
    const client = await app.newClient('Vera Endereço');
    const right = 'vera@certo.com.br';
    await submitAdminSignIn(page);
    await page.goto(`/admin/clients/edit/${client.id}`);
    await page.getByRole('button', { name: 'Alterar e-mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alterar e-mail' });
    await expect(dialog).toContainText('Quem lê o e-mail de hoje deixa de ter acesso');
    await expectAccessible(page, { include: '[role=dialog]' });
    const field = dialog.getByLabel('Novo e-mail *');
    const save = dialog.getByRole('button', { name: 'Salvar' });
    for (const [input, message] of [
      ['', 'Email é obrigatório.'],
      ['vera@certo', 'Email inválido.'],
      [client.email.toUpperCase(), 'Este já é o e-mail do cliente.'],
    ] as const) {
      await field.fill(input);
      await save.click();
      await expect(dialog.getByText(message)).toBeVisible();
    }
    await field.fill(right);
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Continuar editando' }).click();
    await save.click();
    await expect(page.getByText('E-mail alterado com sucesso!')).toBeVisible();
    await expect(page.getByText(`De agora em diante o cliente entra com ${right}.`)).toBeVisible();
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(right);
    expect(await mailsTo(app, right)).toEqual(['welcome']);
    expect(await mailsTo(app, client.email)).toEqual(['welcome']);
    await expect(signIn(app.portaria, client)).rejects.toThrow('Invalid login credentials');
    await signIn(app.portaria, { ...client, email: right });
  });

  test('a change notifies a used address, and a taken one is refused', async ({ page, app }) => {
    const client = await app.newClient('Wilma Antiga');
    const other = await app.newClient('Outra Pessoa');
    await signIn(app.portaria, client);
    await submitAdminSignIn(page);
    await page.goto(`/admin/clients/edit/${client.id}`);
    await page.getByRole('button', { name: 'Alterar e-mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alterar e-mail' });
    await expect(dialog).toContainText('os dois endereços são avisados');
    await dialog.getByLabel('Novo e-mail *').fill(other.email);
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    await expect(page.getByText('Erro ao alterar e-mail')).toBeVisible();
    await expect(page.getByText('Já existe uma conta com este e-mail.')).toBeVisible();
    await dialog.getByLabel('Novo e-mail *').fill('wilma@nova.com.br');
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    await expect(page.getByText('E-mail alterado com sucesso!')).toBeVisible();
    expect(await mailsTo(app, client.email)).toEqual(['welcome', 'email_changed']);
    expect(await mailsTo(app, 'wilma@nova.com.br')).toEqual(['email_set']);
  });
});
