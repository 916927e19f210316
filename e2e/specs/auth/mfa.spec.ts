// MFA: enrollment, sign-in, recovery codes, reset and removal, by administrators and clients.

import { readFile } from 'node:fs/promises';

import { expect, type Page } from '@playwright/test';

import { ADMIN, type Portaria, startPortaria } from '../../fixtures/server.ts';
import { submitAdminSignIn, test as base } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { createPerson, unwrap, adminClient, signIn } from '../../helpers/api.ts';
import { openRowMenu } from '../../helpers/lists.ts';
import { totpCode, enrollMfa } from '../../helpers/totp.ts';

/** Each test changes the administrator's sign-in, so each has its own server. */
const test = base.extend<{ settings: Record<string, string>; office: Portaria }>({
  settings: [{}, { option: true }],
  async office({ settings }, provide) {
    const portaria = await startPortaria({ settings });
    await provide(portaria);
    await portaria.stop();
  },
  baseURL: ({ office }, provide) => provide(office.url),
});

test('MFA › is enrolled with an app and recovery codes, and is required from then on', async ({
  page,
  office,
}) => {
  await submitAdminSignIn(page);
  await page.getByRole('link', { name: /^Segurança/ }).click();
  await expect(page).toHaveURL('/admin/security');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Ligar verificação em duas etapas' }).click();
  const picture = page.getByRole('img', { name: /^Código QR/ });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expectAccessible(page);
  const secret = (await page.getByLabel('Chave', { exact: true }).innerText()).replaceAll(/\s/g, '');
  const code = page.getByLabel('Código de 6 dígitos');
  await code.fill('12');
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
  await expect(page.getByText('Informe os 6 dígitos do código.')).toBeVisible();
  await code.fill(totpCode(secret, -9));
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
  await expect(page.getByText('O código está incorreto, venceu ou já foi usado.')).toBeVisible();
  // The answer to the right code is lost.
  const verify = '**/auth/v1/factors/*/verify';
  await page.route(verify, (route) => route.fetch().then(() => route.abort()), { times: 1 });
  await code.fill(totpCode(secret));
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();

  const codes = page.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  await expectAccessible(page);
  const firstCodes = await codes.allInnerTexts();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain(firstCodes.join('\n'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copiar' }).click();
  await expect(page.getByText('Códigos copiados')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(firstCodes.join('\n'));
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click();
  await expect(page.getByText('Ligada', { exact: true })).toBeVisible();
  await expect(page.getByText('Restam 10')).toBeVisible();
  await expectAccessible(page);
  expect((await office.mails()).map(({ event }) => event)).toContain('second_step_on');

  await page.getByRole('button', { name: 'Gerar novos códigos' }).click();
  const question = page.getByRole('alertdialog', { name: 'Gerar novos códigos?' });
  await question.getByRole('button', { name: 'Gerar novos códigos' }).click();
  await expect(codes).toHaveCount(10);
  expect(await codes.allInnerTexts()).not.toEqual(firstCodes);
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click();

  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
  await typePassword(page);
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeVisible();
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/dashboard');
});

test('MFA › is required before the requested page, and accepts a recovery code', async ({ page, office }) => {
  const { client } = await enrollMfa(office);
  const { codes } = await unwrap(client.auth.mfa.recoveryCodes.generate());
  await page.goto('/admin/folders');
  await expect(page).toHaveURL('/admin/login');
  await typePassword(page);
  const title = page.getByRole('heading', { name: 'Verificação em duas etapas' });
  await expect(title).toBeVisible();
  await expect(page.getByText('Login bem-sucedido!')).toHaveCount(0);
  await expectAccessible(page);
  // No admin page opens before the code.
  await page.goto('/admin/clients');
  await expect(page).toHaveURL('/admin/login');
  await page.goto('/');
  await expect(page).toHaveURL('/admin/login');
  await expect(title).toBeVisible();
  await page.getByRole('button', { name: 'Voltar para o Login' }).click();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();

  await typePassword(page);
  await page.getByLabel('Código de 6 dígitos').fill('000000');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(
    page.getByRole('main').getByText('O código está incorreto, venceu ou já foi usado.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click();
  const recoveryCode = page.getByLabel('Código de recuperação', { exact: true });
  await recoveryCode.fill('curto');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page.getByText('Informe os 16 caracteres do código.')).toBeVisible();
  await expectAccessible(page);
  await recoveryCode.fill(codes[0]?.toUpperCase().replaceAll(/(.{4})(?=.)/g, '$1-') ?? '');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/clients');
  await page.goto('/admin/security');
  await expect(page.getByText('Restam 9')).toBeVisible();
  expect((await office.mails()).map(({ event }) => event)).toContain('recovery_code_used');
  await page.goto('/admin/activity?tipo=acessos');
  await expect(page.getByText('Código de recuperação usado')).toBeVisible();
});

test('MFA › is disabled after a confirmation', async ({ page, office }) => {
  const { secret } = await enrollMfa(office);
  await signInWithMfa(page, secret);
  await page.goto('/admin/security');
  await expect(page.getByText('Nenhum gerado')).toBeVisible();
  await page.getByRole('button', { name: 'Desligar' }).click();
  const question = page.getByRole('alertdialog', { name: 'Desligar a verificação em duas etapas?' });
  await question.getByRole('button', { name: 'Desligar' }).click();
  await expect(page.getByText('Verificação em duas etapas desligada.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Ligar verificação em duas etapas' })).toBeVisible();
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
  await submitAdminSignIn(page);
});

test('MFA › an administrator resets it for a colleague who lost the phone', async ({ page, office }) => {
  const admin = await signIn(office, ADMIN);
  const rui = await createPerson(office, admin, 'Rui Prado', 'rui@escritorio.com.br');
  const api = await adminClient(office, admin);
  await unwrap(api.auth.admin.updateUserById(rui.id, { app_metadata: { roles: ['admin'] } }));
  const lostDevice = await enrollMfa(office, rui);
  await submitAdminSignIn(page);
  await page.goto('/admin/administrators');
  const row = page.getByRole('row').filter({ hasText: rui.email });
  await expect(row).toContainText('Ligada');
  await expect(page.getByRole('row').filter({ hasText: ADMIN.email })).toContainText('Desligada');
  await expectAccessible(page);
  await openRowMenu(page, 'Rui Prado');
  await page.getByRole('menuitem', { name: 'Redefinir verificação em duas etapas' }).click();
  const question = page.getByRole('alertdialog', { name: 'Redefinir verificação em duas etapas' });
  await expect(question).toContainText('Rui Prado sai de todos os aparelhos');
  await question.getByRole('button', { name: 'Redefinir' }).click();
  await expect(page.getByText('Verificação em duas etapas redefinida.')).toBeVisible();
  await expect(row).toContainText('Desligada');
  // The client library's error for a session that the server no longer knows.
  expect((await lostDevice.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
});

test('MFA › a recovery link requires the code before a new password', async ({ page, office }) => {
  const { secret, client } = await enrollMfa(office);
  await unwrap(
    client.auth.resetPasswordForEmail(ADMIN.email, { redirectTo: `${office.url}/atualizar-senha` }),
  );
  const mail = (await office.mails()).findLast(({ event }) => event === 'recovery');
  const link = /href="([^"]+)"/.exec(mail?.html ?? '')?.[1] ?? '';
  await page.goto(link.replaceAll('&amp;', '&'));
  await page.getByLabel('Nova senha', { exact: true }).fill('outra senha da Helena');
  await page.getByLabel('Confirmar nova senha').fill('outra senha da Helena');
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeVisible();
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  // The form keeps its input.
  await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('outra senha da Helena');
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(page.getByText(/^Senha atualizada com sucesso!/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
});

test('MFA › a client enrolls in the profile, and signs in with the code', async ({ page, office }) => {
  const rosa = await createPerson(office, await signIn(office, ADMIN), 'Rosa Neves', 'rosa@padaria.com.br');
  await page.goto('/perfil');
  await typePassword(page, rosa);
  await page.getByRole('button', { name: 'Ligar verificação em duas etapas' }).click();
  const secret = (await page.getByLabel('Chave', { exact: true }).innerText()).replaceAll(/\s/g, '');
  await expectAccessible(page);
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret));
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
  const codes = page.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click();
  await expect(page.getByText('Restam 10')).toBeVisible();
  await expectAccessible(page);

  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await page.goto('/documents');
  await typePassword(page, rosa);
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeVisible();
  await expectAccessible(page);
  // No page of the portal opens before the code.
  await page.goto('/tickets');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('Código de 6 dígitos').fill('000000');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(
    page.getByRole('main').getByText('O código está incorreto, venceu ou já foi usado.'),
  ).toBeVisible();
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/tickets');

  await page.goto('/perfil');
  await page.getByRole('button', { name: 'Desligar' }).click();
  const question = page.getByRole('alertdialog', { name: 'Desligar a verificação em duas etapas?' });
  await expect(question).toContainText('O portal volta a pedir só a senha');
  await question.getByRole('button', { name: 'Desligar' }).click();
  await expect(page.getByRole('button', { name: 'Ligar verificação em duas etapas' })).toBeVisible();
});

test('MFA › the office resets it for a client who lost the phone', async ({ page, office }) => {
  const rosa = await createPerson(office, await signIn(office, ADMIN), 'Rosa Neves', 'rosa@padaria.com.br');
  const lostDevice = await enrollMfa(office, rosa);
  await submitAdminSignIn(page);
  await page.goto(`/admin/clients/view/${rosa.id}`);
  await page.getByRole('button', { name: 'Redefinir verificação' }).click();
  const question = page.getByRole('alertdialog', { name: 'Redefinir verificação em duas etapas' });
  await expect(question).toContainText('Rosa Neves sai de todos os aparelhos');
  await question.getByRole('button', { name: 'Redefinir' }).click();
  await expect(page.getByText('Verificação em duas etapas redefinida.')).toBeVisible();
  await expect(page.getByText('Desligada', { exact: true })).toBeVisible();
  await expect(question).toBeHidden();
  await expectAccessible(page);
  expect((await lostDevice.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  const mails = (await office.mails()).filter(({ recipient }) => recipient === rosa.email);
  expect(mails.map(({ event }) => event)).toContain('second_step_off');
});

test.describe('required MFA', () => {
  test.use({ settings: { PORTARIA_REQUIRE_SECOND_STEP: 'true' } });

  test('an administrator without it can only enroll', async ({ page }) => {
    await page.goto('/admin/login');
    await typePassword(page);
    await expect(page).toHaveURL('/admin/security');
    await expect(page.getByText(/^O escritório pede a verificação em duas etapas/)).toBeVisible();
    await page.goto('/admin/clients');
    await expect(page).toHaveURL('/admin/security');
    await page.getByRole('button', { name: 'Ligar verificação em duas etapas' }).click();
    const secret = (await page.getByLabel('Chave', { exact: true }).innerText()).replaceAll(/\s/g, '');
    await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
    await page.getByRole('button', { name: 'Já guardei os códigos' }).click();
    await expect(page.getByText(/^O escritório pede a verificação em duas etapas/)).toHaveCount(0);
    await page.getByRole('link', { name: 'Clientes' }).click();
    await expect(page.getByRole('heading', { name: 'Clientes' })).toBeVisible();
  });
});

async function typePassword(page: Page, { email, password } = ADMIN): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

async function signInWithMfa(page: Page, secret: string): Promise<void> {
  await page.goto('/admin/login');
  await typePassword(page);
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/dashboard');
}
