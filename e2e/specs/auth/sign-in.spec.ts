// The doors: sign-in, forgotten and new password, and what keeps or ends a session (spec §2.1, §2.3, §4, §5, §8).

import { expect, type Page } from '@playwright/test';

import type { Portaria } from '../../fixtures/server.ts';
import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { unwrap, type Person, adminClient } from '../../helpers/api.ts';

const SENT = 'Se uma conta com este email existir, um link para redefinição de senha foi enviado.';
const UPDATED = 'Senha atualizada com sucesso! Você pode fazer login com sua nova senha.';

test('both fields are asked for, and an error goes when its field is edited', async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Informe o e-mail.');
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription('Informe a senha.');
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await page.getByLabel('E-mail').fill('a');
  await expect(page.getByText('Informe o e-mail.')).toBeHidden();
  await expect(page.getByText('Informe a senha.')).toBeVisible();
  await expect(page.getByLabel('E-mail')).toHaveAttribute('type', 'email');
});

test('the password is shown and hidden, and the button waits for the answer', async ({ page, app }) => {
  const person = await app.newClient('Íris Campos');
  await page.goto('/login');
  const password = page.getByLabel('Senha', { exact: true });
  await password.fill(person.password);
  await page.getByRole('button', { name: 'Mostrar senha' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Ocultar senha' }).click();
  await expect(password).toHaveAttribute('type', 'password');

  const held = Promise.withResolvers<void>();
  await page.route('**/auth/v1/token?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByLabel('E-mail').fill(person.email);
  const button = page.getByRole('button', { name: 'Entrar' });
  await button.click();
  await expect(button).toHaveAttribute('aria-busy', 'true');
  held.resolve();
  await expect(page.getByText('Login bem-sucedido!')).toBeVisible();
  await expect(page).toHaveURL('/');
});

test('a refusal stands beside the form and in a toast', async ({ page, app }) => {
  const { email } = await app.newClient('Jonas Prates');
  await page.goto('/login');
  await enter(page, email, 'não é esta');
  await expect(
    page.getByRole('alert').filter({ hasText: 'E-mail ou senha incorretos.' }).first(),
  ).toBeVisible();
  await expect(page.getByText('Erro de Login')).toBeVisible();
  await expect(page.getByLabel('Senha', { exact: true })).toBeFocused();
});

test('a password counts the same however its accents are typed', async ({ page, app }) => {
  const person = await app.newClient('Kátia Brandão');
  const office = await adminClient(app.portaria, app.admin);
  await unwrap(office.auth.admin.updateUserById(person.id, { password: 'pão às três'.normalize('NFC') }));
  await page.goto('/login');
  await enter(page, person.email, 'pão às três'.normalize('NFD'));
  await expect(page).toHaveURL('/');
});

test('the session outlives a reload and renews itself', async ({ page, app }) => {
  await page.clock.install();
  await submitClientSignIn(page, await app.newClient('Lúcio Amaral'));
  await page.reload();
  await expect(page.getByRole('button', { name: /Lúcio Amaral/ })).toBeVisible();
  const renewal = page.waitForRequest(/grant_type=refresh_token/);
  await page.clock.fastForward('59:00');
  await renewal;
  await page.goto('/documents');
  await expect(page.getByRole('heading', { level: 1, name: 'Documentos' })).toBeVisible();
});

test('signing out ends the session in every tab at once, and signing in brings both back', async ({
  browser,
  context,
  page,
  app,
}) => {
  const person = await app.newClient('Marta Quintela');
  await submitClientSignIn(page, person);
  const other = await context.newPage();
  await other.goto('/calendar');
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
  const device = await browser.newPage({ baseURL: app.portaria.url });
  await submitClientSignIn(device, person);

  await page.getByRole('button', { name: /Marta Quintela/ }).click();
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  await expect(page.getByText('Logout realizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/login');
  await expect(other).toHaveURL('/login');
  await expect(other.getByText('Sua sessão terminou')).toBeVisible();
  // The telephone at home stays signed in.
  await device.reload();
  await expect(device.getByRole('button', { name: /Marta Quintela/ })).toBeVisible();
  await device.close();

  await enter(page, person.email, person.password);
  await expect(page).toHaveURL('/');
  await expect(other).toHaveURL('/calendar');
});

test('a session that the office ended leads to the sign-in and says why', async ({ page, app }) => {
  const person = await app.newClient('Nilo Sampaio');
  await submitClientSignIn(page, person);
  const token = await page.evaluate(() => {
    const kept: { access_token: string } = JSON.parse(localStorage.getItem('portaria-auth') ?? '{}');
    return kept.access_token;
  });
  await fetch(`${app.portaria.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: { apikey: app.portaria.anonKey, Authorization: `Bearer ${token}` },
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Sua sessão terminou')).toBeVisible();
  await enter(page, person.email, person.password);
  await expect(page).toHaveURL('/documents');
});

test('only a page of the portal is ever led back to', async ({ page, app }) => {
  const person = await app.newClient('Olga Teles');
  for (const foreign of ['//evil.example/documents', 'https://evil.example', '/admin/clients', '/\\evil']) {
    await page.goto('/login');
    await page.evaluate((from) => sessionStorage.setItem('portaria-from', from), foreign);
    await enter(page, person.email, person.password);
    await expect(page, foreign).toHaveURL('/');
    await page.evaluate(() => localStorage.clear());
  }
});

test.describe('a forgotten password', () => {
  test('is answered alike for a known and an unknown address', async ({ page, app }) => {
    const { email } = await app.newClient('Paula Nóbrega');
    for (const address of [email, 'ninguem@lugar.com.br']) {
      await page.goto('/login');
      await page.getByRole('link', { name: 'Esqueceu a senha?' }).click();
      await expect(page.getByRole('heading', { name: 'Recuperar Senha' })).toBeVisible();
      await page.getByRole('button', { name: 'Enviar Link' }).click();
      await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Informe o e-mail.');
      await page.getByLabel('E-mail').fill(address);
      await page.getByRole('button', { name: 'Enviar Link' }).click();
      await expect(page.getByText(SENT)).toBeVisible();
      await expect(page.getByText('Email Enviado')).toBeVisible();
    }
    await page.getByRole('link', { name: 'Voltar para o Login' }).click();
    await expect(page).toHaveURL('/login');
  });

  test('says when the request could not be sent', async ({ page, app }) => {
    const person = await app.newClient('Otávio Paes');
    await page.goto('/recuperar-senha');
    await page.getByLabel('E-mail').fill(person.email);
    await app.portaria.withBrokenTable('one_time_tokens', async () => {
      await page.getByRole('button', { name: 'Enviar Link' }).click();
      await expect(page.getByText('Falha ao enviar email de redefinição.').first()).toBeVisible();
      await expect(page.getByText('Erro', { exact: true })).toBeVisible();
    });
  });

  test('is replaced by way of the mailed link, which serves once', async ({ page, app }) => {
    const person = await app.newClient('Quitéria Leme');
    const link = await linkFor(app.portaria, page, person);
    await page.goto(link);
    await expect(page).toHaveURL('/atualizar-senha');

    await choose(page, 'curta', 'curta');
    await expect(toast(page, 'A senha deve ter no mínimo 6 caracteres.')).toBeVisible();
    await choose(page, 'nova senha', 'outra senha');
    await expect(toast(page, 'As senhas não coincidem.')).toBeVisible();
    const update = page.waitForResponse(/auth\/v1\/user/);
    await choose(page, 'nova senha', 'nova senha');
    await update;
    const done = Date.now();
    await expect(page.getByText(UPDATED)).toBeVisible();
    await expect(page).toHaveURL('/login');
    expect(Date.now() - done).toBeGreaterThan(1_800);
    await expect(page.getByText('Logout realizado com sucesso!')).toBeHidden();

    await enter(page, person.email, person.password);
    await expect(page.getByText('Erro de Login')).toBeVisible();
    await enter(page, person.email, 'nova senha');
    await expect(page).toHaveURL('/');

    await page.evaluate(() => localStorage.clear());
    await page.goto('/login');
    await page.goto(link);
    await choose(page, 'ainda outra', 'ainda outra');
    await expect(page.getByText('Este link expirou ou já foi usado. Peça um novo.').first()).toBeVisible();
    await page.getByRole('link', { name: 'Pedir um novo link' }).click();
    await expect(page).toHaveURL('/recuperar-senha');
  });

  test('without a link, the page says where to get one', async ({ page }) => {
    await page.goto('/atualizar-senha');
    await expect(page.getByText('Abra esta página pelo link recebido por e-mail.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Pedir um novo link' })).toBeVisible();
    await choose(page, 'nova senha', 'nova senha');
    await expect(page.getByText('Falha ao atualizar senha.').first()).toBeVisible();
    await page.goto('/login');
    await page.goto('/atualizar-senha#error=access_denied&error_code=otp_expired');
    await expect(page.getByText('Este link expirou ou já foi usado.')).toBeVisible();
    await page.getByRole('link', { name: 'Pedir um novo link' }).click();
    await expect(page).toHaveURL('/recuperar-senha');
  });
});

async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

async function choose(page: Page, password: string, again: string): Promise<void> {
  await page.getByLabel('Nova senha', { exact: true }).fill(password);
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill(again);
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
}

function toast(page: Page, text: string) {
  return page.locator('[data-slot="toast"]').filter({ hasText: text });
}

/** Asks for a link as a person does, and takes it from the mail. */
async function linkFor(portaria: Portaria, page: Page, { email }: Person): Promise<string> {
  await page.goto('/recuperar-senha');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Enviar Link' }).click();
  await expect(page.getByText(SENT)).toBeVisible();
  const mail = (await portaria.mails()).findLast(({ recipient }) => recipient === email);
  const link = /href="([^"]*atualizar-senha#[^"]*)"/.exec(mail?.html ?? '')?.[1];
  expect(link).toBeDefined();
  return (link ?? '').replaceAll('&amp;', '&');
}
