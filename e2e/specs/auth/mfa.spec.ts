// The second step of administrators: set up, asked for, lost and given up.

import { readFile } from 'node:fs/promises';

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

import { ADMIN, type Portaria, startPortaria } from '../../fixtures/server.ts';
import { submitAdminSignIn, test as base } from '../../fixtures/test.ts';
import { createPerson, unwrap, adminClient, signIn } from '../../helpers/api.ts';
import { totpCode, enrollMfa } from '../../helpers/totp.ts';

/** Each test locks the administrator in or out, so each has an office of its own. */
const test = base.extend<{ settings: Record<string, string>; office: Portaria }>({
  settings: [{}, { option: true }],
  async office({ settings }, provide) {
    const portaria = await startPortaria({ settings });
    await provide(portaria);
    await portaria.stop();
  },
  baseURL: ({ office }, provide) => provide(office.url),
});

test('is set up with an app and codes on paper, and is asked for from then on', async ({ page, office }) => {
  await submitAdminSignIn(page);
  await page.getByRole('link', { name: /^Segurança/ }).click();
  await expect(page).toHaveURL('/admin/security');
  await expectNothingSerious(page);
  await page.getByRole('button', { name: 'Ligar verificação em duas etapas' }).click();
  const picture = page.getByRole('img', { name: /^Código QR/ });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expectNothingSerious(page);
  const secret = (await page.getByLabel('Chave', { exact: true }).innerText()).replaceAll(/\s/g, '');
  const code = page.getByLabel('Código de 6 dígitos');
  await code.fill('12');
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
  await expect(page.getByText('Informe os 6 dígitos do código.')).toBeVisible();
  await code.fill(totpCode(secret, -9));
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();
  await expect(page.getByText('O código está incorreto, venceu ou já foi usado.')).toBeVisible();
  await code.fill(totpCode(secret));
  await page.getByRole('button', { name: 'Confirmar e ligar' }).click();

  const codes = page.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  await expectNothingSerious(page);
  const written = await codes.allInnerTexts();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain(written.join('\n'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copiar' }).click();
  await expect(page.getByText('Códigos copiados')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(written.join('\n'));
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click();
  await expect(page.getByText('Ligada', { exact: true })).toBeVisible();
  await expect(page.getByText('Restam 10')).toBeVisible();
  await expectNothingSerious(page);
  expect((await office.mails()).map(({ event }) => event)).toContain('second_step_on');

  await page.getByRole('button', { name: 'Gerar novos códigos' }).click();
  const question = page.getByRole('alertdialog', { name: 'Gerar novos códigos?' });
  await question.getByRole('button', { name: 'Gerar novos códigos' }).click();
  await expect(codes).toHaveCount(10);
  expect(await codes.allInnerTexts()).not.toEqual(written);
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click();

  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
  await typePassword(page);
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeVisible();
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/dashboard');
});

test('is asked for on the way to the page that was asked for; a code on paper does as well', async ({
  page,
  office,
}) => {
  const { client } = await enrollMfa(office);
  const { codes } = await unwrap(client.auth.mfa.recoveryCodes.generate());
  await page.goto('/admin/folders');
  await expect(page).toHaveURL('/admin/login');
  await typePassword(page);
  const title = page.getByRole('heading', { name: 'Verificação em duas etapas' });
  await expect(title).toBeVisible();
  await expect(page.getByText('Login bem-sucedido!')).toHaveCount(0);
  await expectNothingSerious(page);
  // Nothing of the office is behind it, whichever way one goes.
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
  const paper = page.getByLabel('Código de recuperação', { exact: true });
  await paper.fill('curto');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page.getByText('Informe os 16 caracteres do código.')).toBeVisible();
  await expectNothingSerious(page);
  await paper.fill(codes[0]?.toUpperCase().replaceAll(/(.{4})(?=.)/g, '$1-') ?? '');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/clients');
  await page.goto('/admin/security');
  await expect(page.getByText('Restam 9')).toBeVisible();
  expect((await office.mails()).map(({ event }) => event)).toContain('recovery_code_used');
  await page.goto('/admin/activity?tipo=acessos');
  await expect(page.getByText('Código de recuperação usado')).toBeVisible();
});

test('is given up, after a question', async ({ page, office }) => {
  const { secret } = await enrollMfa(office);
  await signInPast(page, secret);
  await page.goto('/admin/security');
  await expect(page.getByText('Nenhum gerado')).toBeVisible();
  await page.getByRole('button', { name: 'Desligar' }).click();
  const question = page.getByRole('alertdialog', { name: 'Desligar a verificação em duas etapas?' });
  await question.getByRole('button', { name: 'Desligar' }).click();
  await expect(page.getByText('Verificação em duas etapas desligada.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Ligar verificação em duas etapas' })).toBeVisible();
  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
  await submitAdminSignIn(page);
});

test('is taken by an administrator from a colleague who lost the telephone', async ({ page, office }) => {
  const admin = await signIn(office, ADMIN);
  const rui = await createPerson(office, admin, 'Rui Prado', 'rui@escritorio.com.br');
  const api = await adminClient(office, admin);
  await unwrap(api.auth.admin.updateUserById(rui.id, { app_metadata: { roles: ['admin'] } }));
  const lost = await enrollMfa(office, rui);
  await submitAdminSignIn(page);
  await page.goto('/admin/administrators');
  const row = page.getByRole('row').filter({ hasText: rui.email });
  await expect(row).toContainText('Ligada');
  await expect(page.getByRole('row').filter({ hasText: ADMIN.email })).toContainText('Desligada');
  await expectNothingSerious(page);
  await row.getByRole('button', { name: 'Redefinir verificação em duas etapas de Rui Prado' }).click();
  const question = page.getByRole('alertdialog', { name: 'Redefinir verificação em duas etapas' });
  await expect(question).toContainText('Rui Prado sai de todos os aparelhos');
  await question.getByRole('button', { name: 'Redefinir' }).click();
  await expect(page.getByText('Verificação em duas etapas redefinida.')).toBeVisible();
  await expect(row).toContainText('Desligada');
  // So the client calls a session that the server no longer knows.
  expect((await lost.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
});

test('a mailed link leads to a new password by way of the code', async ({ page, office }) => {
  const { secret, client } = await enrollMfa(office);
  await unwrap(
    client.auth.resetPasswordForEmail(ADMIN.email, { redirectTo: `${office.url}/atualizar-senha` }),
  );
  const letter = (await office.mails()).findLast(({ event }) => event === 'recovery');
  const link = /href="([^"]+)"/.exec(letter?.html ?? '')?.[1] ?? '';
  await page.goto(link.replaceAll('&amp;', '&'));
  await page.getByLabel('Nova senha', { exact: true }).fill('outra senha da Helena');
  await page.getByLabel('Confirmar nova senha').fill('outra senha da Helena');
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeVisible();
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  // What was typed is still there.
  await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('outra senha da Helena');
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(page.getByText(/^Senha atualizada com sucesso!/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
});

test.describe('an office that requires it', () => {
  test.use({ settings: { PORTARIA_REQUIRE_SECOND_STEP: 'true' } });

  test('leads whoever has none to set it up, and nowhere else', async ({ page }) => {
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

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Senha', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

async function signInPast(page: Page, secret: string): Promise<void> {
  await page.goto('/admin/login');
  await typePassword(page);
  await page.getByLabel('Código de 6 dígitos').fill(totpCode(secret, 1));
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page).toHaveURL('/admin/dashboard');
}

async function expectNothingSerious(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
}
