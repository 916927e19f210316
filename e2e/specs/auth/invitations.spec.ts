// Invitations of clients and colleagues, the first access, and the sign-in with a mailed code.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { serviceClient, unwrap } from '../../helpers/api.ts';
import { openRowMenu } from '../../helpers/lists.ts';
import { findMail } from '../../helpers/mail-links.ts';

const PASSWORD = 'só eu conheço esta';

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel('Nova senha', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
}

test('invitation › is withdrawn and sent again from the client page', async ({ page, app }) => {
  const email = 'convidada@primeiro.com.br';
  const user = await unwrap(
    serviceClient(app.portaria).auth.admin.inviteUserByEmail(email, {
      data: { full_name: 'Nara Convidada' },
    }),
  );
  const first = await findMail(app.portaria, 'invite', email);
  await signInAsAdmin(page);
  await page.goto(`/admin/clients/view/${user.user.id}`);
  await expect(page.getByText(/^Convidado em .* O convite vale até /)).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.getByRole('button', { name: 'Retirar convite' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Retirar convite' }).click();
  await expect(page.getByText('nenhum convite está aberto')).toBeVisible();
  await page.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Convite enviado', { exact: true })).toBeVisible();
  const second = await findMail(app.portaria, 'invite', email);
  expect(second.token).not.toBe(first.token);
  // The form to edit shows it as well.
  await page.goto(`/admin/clients/edit/${user.user.id}`);
  await expect(page.getByRole('button', { name: 'Enviar de novo' })).toBeVisible();
});

test('invitation › an expired link sends another one by itself', async ({ page, app }) => {
  const email = 'atrasada@primeiro.com.br';
  await unwrap(serviceClient(app.portaria).auth.admin.inviteUserByEmail(email));
  const old = await findMail(app.portaria, 'invite', email);
  app.portaria.execSql(`UPDATE one_time_tokens SET created_at = '2026-01-01T00:00:00.000000+00:00'
    WHERE email = '${email}'`);
  await page.goto(old.link);
  await choosePassword(page);
  await page.getByRole('button', { name: 'Enviar outro convite' }).click();
  await expect(page.getByText('Enviamos outro convite para o mesmo e-mail.')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  const fresh = await findMail(app.portaria, 'invite', email);
  expect(fresh.token).not.toBe(old.token);
  await page.goto(fresh.link);
  await choosePassword(page);
  await expect(page.getByText('Senha atualizada com sucesso!')).toBeVisible();
});

test('colleague › is invited by mail, accepts, and signs in to the back office', async ({
  page,
  app,
  browser,
}) => {
  const email = 'colega@escritorio.com.br';
  await signInAsAdmin(page);
  await page.goto('/admin/administrators');
  await page.getByRole('button', { name: 'Convidar colega' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(dialog.getByText('Nome completo é obrigatório.')).toBeVisible();
  await dialog.getByLabel('Nome Completo').fill('Olavo Colega');
  await dialog.getByLabel('Email').fill(email);
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Colega convidado')).toBeVisible();
  const row = page.getByRole('row', { name: /Olavo Colega/ });
  await expect(row.getByText('Convidado', { exact: true })).toBeVisible();
  await openRowMenu(page, 'Olavo Colega');
  await page.getByRole('menuitem', { name: 'Convite' }).click();
  await expect(dialog.getByText(/^Convidado em /)).toBeVisible();

  const context = await browser.newContext({ baseURL: app.portaria.url });
  const colleague = await context.newPage();
  await colleague.goto((await findMail(app.portaria, 'invite', email)).link);
  await choosePassword(colleague);
  await expect(colleague).toHaveURL('/admin/login');
  await colleague.getByLabel('E-mail').fill(email);
  await colleague.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await colleague.getByRole('button', { name: 'Entrar' }).click();
  await expect(colleague).toHaveURL('/admin/dashboard');
  // Staff change their own password under Segurança.
  await colleague.goto('/admin/security');
  await expect(colleague.getByRole('button', { name: 'Alterar senha' })).toBeVisible();
  await expectAccessibleInBothThemes(colleague);
  await context.close();
  await page.reload();
  await expect(row.getByText('Convidado', { exact: true })).toBeHidden();
});

test('first access › mails a link with which an invited client chooses a password', async ({ page, app }) => {
  const email = 'primeira@primeiro.com.br';
  await unwrap(serviceClient(app.portaria).auth.admin.inviteUserByEmail(email));
  await page.goto('/login');
  await page.getByRole('link', { name: 'Primeiro acesso' }).click();
  await expect(page.getByRole('heading', { name: 'Primeiro acesso' })).toBeVisible();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Enviar Link' }).click();
  await expect(page.getByText('Se uma conta com este email existir')).toBeVisible();
  await page.goto((await findMail(app.portaria, 'recovery', email)).link);
  await choosePassword(page);
  await expect(page.getByText('Senha atualizada com sucesso!')).toBeVisible();
});

test('sign-in code › arrives by mail and signs in once; a wrong one says so', async ({ page, app }) => {
  const person = await app.newClient('Quirino Código');
  await page.goto('/login');
  await page.getByRole('link', { name: 'Entrar com código' }).click();
  await expectAccessibleInBothThemes(page);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Enviar código' }).click();
  const field = page.getByLabel('Código de 6 dígitos');
  await expect(field).toBeVisible();
  const { code, link } = await findMail(app.portaria, 'magic_link', person.email);
  // A program that opens the link of the same mail consumes nothing.
  await page.request.get(link);
  await field.fill('12345');
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(page.getByText('Informe os 6 dígitos do código.')).toBeVisible();
  await field.fill(code === '000000' ? '111111' : '000000');
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  // The notice speaks of the code too, not of a link.
  await expect(page.getByText('O código está incorreto ou expirou. Confira ou peça outro.')).toHaveCount(2);
  await expectAccessibleInBothThemes(page);
  // Phones drop the tab while the person reads the mail.
  await page.reload();
  await expect(page.getByText(person.email)).toBeVisible();
  // Pasted with a space.
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(page).toHaveURL('/');
});

test('sign-in code › the link of the same mail signs in with a click', async ({ page, app }) => {
  const person = await app.newClient('Lígia Clique');
  await page.goto('/entrar-com-codigo');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Enviar código' }).click();
  await expect(page.getByLabel('Código de 6 dígitos')).toBeVisible();
  await page.goto((await findMail(app.portaria, 'magic_link', person.email)).link);
  await expect(page.getByRole('heading', { name: 'Entrar no portal' })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(page).toHaveURL('/');
});

test('sign-in code › an unknown address gets the same answer', async ({ page, app }) => {
  await page.goto('/entrar-com-codigo');
  await page.getByLabel('E-mail').fill('ninguem@primeiro.com.br');
  await page.getByRole('button', { name: 'Enviar código' }).click();
  await expect(page.getByText('o código chega em instantes')).toBeVisible();
  expect(
    (await app.portaria.mails()).filter(({ recipient }) => recipient === 'ninguem@primeiro.com.br'),
  ).toEqual([]);
  await page.getByRole('button', { name: 'Usar outro e-mail' }).click();
  await expect(page.getByLabel('E-mail')).toBeVisible();
  await page.goForward();
  await expect(page.getByLabel('Código de 6 dígitos')).toBeVisible();
});
