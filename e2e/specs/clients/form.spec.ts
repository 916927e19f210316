// The form of a client: creation, invitation and change.

import { expect } from '@playwright/test';

import { holdRequest, openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectOk, serviceClient, signIn, unwrap } from '../../helpers/api.ts';
import { clientSearch, deletePerson } from '../../helpers/clients.ts';

test.describe('new client', () => {
  test('form shows all validation errors', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/clients/new');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    for (const message of ['Nome completo é obrigatório.', 'Email é obrigatório.', 'Senha é obrigatória.']) {
      await expect(page.getByText(message)).toBeVisible();
    }
    await expect(page.getByText('Por favor, corrija os campos destacados.')).toBeVisible();
    await page.getByLabel('Nome Completo').fill('Rita');
    await expect(page.getByText('Nome completo é obrigatório.')).toBeHidden();
    await page.getByLabel('Email').fill('rita@x');
    await page.getByLabel('CPF ou CNPJ').fill('11.222.333/0001-82');
    await page.getByLabel('Senha', { exact: true }).fill('12345');
    await page.getByLabel('Confirmar Senha', { exact: true }).fill('54321');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    for (const message of [
      'Email inválido.',
      'CPF ou CNPJ inválido.',
      'Senha deve ter no mínimo 6 caracteres.',
      'As senhas não coincidem.',
    ]) {
      await expect(page.getByText(message)).toBeVisible();
    }
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Sair sem salvar?' })).toBeVisible();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page).toHaveURL('/admin/clients');
  });

  test('is invited by mail and chooses a password', async ({ page, browser, app }) => {
    await openSession(page);
    await page.goto('/admin/clients/new');
    await page.getByLabel('Nome Completo').fill('Ivo Convidado');
    await page.getByLabel('Email').fill('ivo@convidado.com.br');
    await page.getByLabel('Convidar por e-mail em vez de definir a senha').check();
    await expect(page.getByText('o e-mail fica guardado na fila')).toBeVisible();
    await expect(page.getByLabel('Senha', { exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    await expect(
      page.getByText('O convite para ivo@convidado.com.br está na fila de e-mails.'),
    ).toBeVisible();
    await expect(page.getByRole('row', { name: 'Ivo Convidado' })).toContainText('ivo@convidado.com.br');

    const mail = (await app.portaria.mails()).find(({ recipient }) => recipient === 'ivo@convidado.com.br');
    const link = /href="([^"]*atualizar-senha[^"]*)"/.exec(mail?.html ?? '')?.[1]?.replaceAll('&amp;', '&');
    const ivo = await browser.newPage();
    await ivo.goto(link ?? '');
    await ivo.getByLabel('Nova senha', { exact: true }).fill('a senha do Ivo');
    await ivo.getByLabel('Confirmar nova senha', { exact: true }).fill('a senha do Ivo');
    await ivo.getByRole('button', { name: 'Atualizar Senha' }).click();
    await expect(ivo.getByText('Senha atualizada com sucesso!').first()).toBeVisible();
    await ivo.close();
  });

  test('a taken address is refused', async ({ page, app }) => {
    const { email } = await app.newClient('Dona do Endereço');
    await openSession(page);
    await page.goto('/admin/clients/new');
    await page.getByLabel('Nome Completo').fill('Outra');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Senha', { exact: true }).fill('uma senha boa');
    await page.getByLabel('Confirmar Senha', { exact: true }).fill('uma senha boa');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    await expect(page.getByText('Erro ao salvar cliente')).toBeVisible();
    await expect(page.getByText('Já existe uma conta com este e-mail.')).toBeVisible();
    await expect(page).toHaveURL('/admin/clients/new');
  });
});

test('client form › names another client with the same CPF or CNPJ', async ({ page, app }) => {
  const other = await app.newClient('Teresa Mesma');
  const service = serviceClient(app.portaria);
  const metadata = { full_name: 'Teresa Mesma', tax_id: '11222333000181' };
  await unwrap(service.auth.admin.updateUserById(other.id, { user_metadata: metadata }));
  await signInAsAdmin(page);
  await page.goto('/admin/clients/new');
  await page.getByLabel('CPF ou CNPJ').fill('11.222.333/0001-81');
  await expect(page.getByText('Este CPF ou CNPJ já é de')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Teresa Mesma' })).toHaveAttribute(
    'href',
    `/admin/clients/view/${other.id}`,
  );
  // The client's own form does not warn.
  await page.goto(`/admin/clients/edit/${other.id}`);
  await expect(page.getByLabel('CPF ou CNPJ')).toHaveValue('11.222.333/0001-81');
  await page.waitForLoadState('networkidle');
  await expect(page.getByText('Este CPF ou CNPJ já é de')).toBeHidden();
  // Tests of documents of this worker use the number too.
  await deletePerson(app, other);
});

test('client form › shows a refused password at its field', async ({ page, app }) => {
  const client = await app.newClient('Fraca Fátima');
  await signInAsAdmin(page);
  for (const [path, button] of [
    ['/admin/clients/new', 'Criar Cliente'],
    [`/admin/clients/edit/${client.id}`, 'Salvar Alterações'],
  ] as const) {
    await page.goto(path);
    await page.getByLabel('Nome Completo').fill('Fraca');
    const email = page.getByLabel('Email', { exact: false }).first();
    if (await email.isEnabled()) await email.fill('fraca@senha.com.br');
    const password = page.getByLabel('Senha', { exact: true });
    await password.fill('minhasenha');
    await page.getByLabel('Confirmar Senha', { exact: true }).fill('minhasenha');
    await page.getByRole('button', { name: button }).click();
    await expect(password).toHaveAccessibleDescription(/^Esta senha está entre as mais usadas/);
    await expect(password).toBeFocused();
    await expect(page).toHaveURL(path);
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page).toHaveURL('/admin/clients');
  }
});

test('client form › changes the name, and the password only if one is given', async ({ page, app }) => {
  const client = await app.newClient('Editada Elvira');
  await openSession(page);
  await page.goto('/admin/clients');
  await clientSearch(page).fill('editada');
  await page.getByRole('link', { name: 'Editar Editada Elvira' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Editar Cliente' })).toBeVisible();
  await expect(page.getByLabel('Email')).toBeDisabled();
  await expect(page.getByLabel('Email')).toHaveValue(client.email);
  await expect(page.getByText('Alterar Senha (Opcional)')).toBeVisible();
  await page.getByLabel('Nome Completo').fill('');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Erro de Validação')).toBeVisible();
  await expect(page.getByText('Nome completo é obrigatório.')).toBeVisible();
  await page.getByLabel('Nome Completo').fill('Elvira Mudada');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Cliente atualizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
  await expect(page.getByRole('row', { name: 'Elvira Mudada' })).toBeVisible();
  const clientApi = await signIn(app.portaria, client);

  // The form begins with the saved values, and a change of password changes nothing else.
  await page.getByRole('link', { name: 'Editar Elvira Mudada' }).click();
  await expect(page.getByLabel('Nome Completo')).toHaveValue('Elvira Mudada');
  await expectOk(clientApi.auth.updateUser({ data: { full_name: 'Elvira Nova' } }));
  await page.getByLabel('Senha', { exact: true }).fill('outra senha boa');
  await page.getByLabel('Confirmar Senha', { exact: true }).fill('outra senha boa');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page).toHaveURL('/admin/clients');
  const changed = await signIn(app.portaria, { ...client, password: 'outra senha boa' });
  expect((await changed.auth.getUser()).data.user?.user_metadata).toMatchObject({ full_name: 'Elvira Nova' });
  await expect(signIn(app.portaria, client)).rejects.toThrow('Invalid login credentials');

  await page.goto('/admin/clients/edit/nenhum');
  await expect(page.getByText('Erro ao carregar cliente')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
});

test('client form › leaving it during a save does not redirect later', async ({ page, app }) => {
  const client = await app.newClient('Deixada Dora');
  await openSession(page);
  await page.goto('/admin/clients');
  await clientSearch(page).fill(client.name);
  await page.getByRole('link', { name: `Editar ${client.name}` }).click();
  await page.getByLabel('Nome Completo').fill('Dora Mudada');
  const change = await holdRequest(page, /\/auth\/v1\/admin\/users\//, 'PUT');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await change.started;
  await page.getByRole('link', { name: 'Pastas' }).click();
  await page.getByRole('button', { name: 'Sair sem salvar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pastas' })).toBeVisible();
  change.release();
  const toast = page.getByText('Cliente atualizado com sucesso!');
  await expect(toast).toBeVisible();
  await expect(toast).toBeHidden();
  await expect(page).toHaveURL('/admin/folders');
});

test('client form › asks before unsaved changes are left', async ({ page, app }) => {
  const client = await app.newClient('Salva Antes');
  await openSession(page);
  await page.goto('/admin/clients');
  await clientSearch(page).fill(client.name);
  await page.getByRole('link', { name: `Editar ${client.name}` }).click();
  await page.getByLabel('Nome Completo').fill('Salva Depois');
  // The dialog over the form has no unsaved changes of its own.
  await page.getByRole('button', { name: 'Alterar e-mail' }).click();
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Sair sem salvar?' });
  await expect(question).toContainText('O que foi preenchido nesta página ainda não foi salvo.');
  await question.getByRole('button', { name: 'Continuar editando' }).click();
  await expect(page).toHaveURL(`/admin/clients/edit/${client.id}`);
});
