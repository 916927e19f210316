// Sign-in, password recovery, and the life of a session.

import { expect, type Page } from '@playwright/test';

import type { Portaria } from '../../fixtures/server.ts';
import { signInAsClient, submitClientSignIn, test } from '../../fixtures/test.ts';
import { unwrap, type Person, adminClient } from '../../helpers/api.ts';

const SENT = 'Se uma conta com este email existir, um link para redefinição de senha foi enviado.';
const UPDATED = 'Senha atualizada com sucesso! Você pode fazer login com sua nova senha.';

test('sign-in › requires both fields, and editing a field removes its error', async ({ page }) => {
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

test('sign-in › shows and hides the password, and the button waits for the response', async ({
  page,
  app,
}) => {
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

test('sign-in › a refusal shows beside the form and as a toast', async ({ page, app }) => {
  const { email } = await app.newClient('Jonas Prates');
  await page.goto('/login');
  await submitSignIn(page, email, 'não é esta');
  await expect(
    page.getByRole('alert').filter({ hasText: 'E-mail ou senha incorretos.' }).first(),
  ).toBeVisible();
  await expect(page.getByText('Erro de Login')).toBeVisible();
  await expect(page.getByLabel('Senha', { exact: true })).toBeFocused();
});

test('sign-in › accepts the password in either Unicode normalization form', async ({ page, app }) => {
  const person = await app.newClient('Kátia Brandão');
  const office = await adminClient(app.portaria, app.admin);
  await unwrap(office.auth.admin.updateUserById(person.id, { password: 'pão às três'.normalize('NFC') }));
  await page.goto('/login');
  await submitSignIn(page, person.email, 'pão às três'.normalize('NFD'));
  await expect(page).toHaveURL('/');
});

test('session › survives a reload and refreshes itself', async ({ page, app }) => {
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

test('session › sign-out ends it in all tabs, and sign-in restores both tabs', async ({
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
  // The session of another device stays.
  await device.reload();
  await expect(device.getByRole('button', { name: /Marta Quintela/ })).toBeVisible();
  await device.close();

  await submitSignIn(page, person.email, person.password);
  await expect(page).toHaveURL('/');
  await expect(other).toHaveURL('/calendar');
});

test('session › revocation leads to the sign-in with a message', async ({ page, app }) => {
  const person = await app.newClient('Nilo Sampaio');
  await submitClientSignIn(page, person);
  // A query of the home page that is still open would find the end of the session before the click.
  await page.goto('/', { waitUntil: 'networkidle' });
  const token = await page.evaluate(() => {
    const session: { access_token: string } = JSON.parse(localStorage.getItem('portaria-auth') ?? '{}');
    return session.access_token;
  });
  await fetch(`${app.portaria.url}/auth/v1/logout?scope=global`, {
    method: 'POST',
    headers: { apikey: app.portaria.anonKey, Authorization: `Bearer ${token}` },
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Documentos' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Sua sessão terminou')).toBeVisible();
  await submitSignIn(page, person.email, person.password);
  await expect(page).toHaveURL('/documents');
});

test('sign-in › leads back to pages of the portal only', async ({ page, app }) => {
  const person = await app.newClient('Olga Teles');
  for (const foreign of ['//evil.example/documents', 'https://evil.example', '/admin/clients', '/\\evil']) {
    await page.goto('/login');
    await page.evaluate((from) => sessionStorage.setItem('portaria-from', from), foreign);
    await submitSignIn(page, person.email, person.password);
    await expect(page, foreign).toHaveURL('/');
    await page.evaluate(() => localStorage.clear());
  }
  await page.goto('/calendar?data=2026-03-05');
  await expect(page).toHaveURL('/login');
  await submitSignIn(page, person.email, person.password);
  await expect(page).toHaveURL('/calendar?data=2026-03-05');
});

test.describe('password recovery', () => {
  test('gives the same response for known and unknown addresses', async ({ page, app }) => {
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

  test('shows a failed request', async ({ page, app }) => {
    const person = await app.newClient('Otávio Paes');
    await page.goto('/recuperar-senha');
    await page.getByLabel('E-mail').fill(person.email);
    await app.portaria.withBrokenTable('one_time_tokens', async () => {
      await page.getByRole('button', { name: 'Enviar Link' }).click();
      await expect(page.getByText('Falha ao enviar email de redefinição.').first()).toBeVisible();
      await expect(page.getByText('Erro', { exact: true })).toBeVisible();
    });
  });

  test('a mailed link sets a new password once', async ({ page, app }) => {
    const person = await app.newClient('Quitéria Leme');
    const link = await requestRecoveryLink(app.portaria, page, person);
    await page.goto(link);
    await expect(page).toHaveURL('/atualizar-senha');

    await submitNewPassword(page, 'curta', 'curta');
    await expect(toast(page, 'A senha deve ter no mínimo 6 caracteres.')).toBeVisible();
    await submitNewPassword(page, 'nova senha', 'outra senha');
    await expect(toast(page, 'As senhas não coincidem.')).toBeVisible();
    const update = page.waitForResponse(/auth\/v1\/user/);
    await submitNewPassword(page, 'nova senha', 'nova senha');
    await update;
    const done = Date.now();
    await expect(page.getByText(UPDATED)).toBeVisible();
    await expect(page).toHaveURL('/login');
    expect(Date.now() - done).toBeGreaterThan(1_800);
    await expect(page.getByText('Logout realizado com sucesso!')).toBeHidden();

    await submitSignIn(page, person.email, person.password);
    await expect(page.getByText('Erro de Login')).toBeVisible();
    await submitSignIn(page, person.email, 'nova senha');
    await expect(page).toHaveURL('/');

    await page.evaluate(() => localStorage.clear());
    await page.goto('/login');
    await page.goto(link);
    await submitNewPassword(page, 'ainda outra', 'ainda outra');
    await expect(page.getByText('Este link expirou ou já foi usado. Peça um novo.').first()).toBeVisible();
    await page.getByRole('link', { name: 'Pedir um novo link' }).click();
    await expect(page).toHaveURL('/recuperar-senha');
  });

  test('a reload keeps the mailed link until it is used', async ({ page, app }) => {
    const person = await app.newClient('Renato Falcão');
    const link = await requestRecoveryLink(app.portaria, page, person);
    const token = /token_hash=([^&]+)/.exec(link)?.[1] ?? '';
    expect(token).not.toBe('');
    await page.goto(link);
    await page.reload();
    await expect(page.getByLabel('Nova senha', { exact: true })).toBeVisible();
    await expect(page.getByText('Abra esta página pelo link recebido por e-mail.')).toBeHidden();
    expect(page.url()).not.toContain(token);
    // A refused password uses the link, and the form still accepts another one.
    await submitNewPassword(page, 'minhasenha', 'minhasenha');
    const field = page.getByLabel('Nova senha', { exact: true });
    await expect(field).toHaveAccessibleDescription(/^Esta senha está entre as mais usadas/);
    await expect(field).toBeFocused();
    const stored = () => page.evaluate(() => JSON.stringify([sessionStorage, localStorage, history.state]));
    expect(await stored()).not.toContain(token);
    await submitNewPassword(page, 'nova senha', 'nova senha');
    await expect(page.getByText(UPDATED)).toBeVisible();
    await expect(page).toHaveURL('/login');
    await page.goto('/atualizar-senha');
    await expect(page.getByText('Abra esta página pelo link recebido por e-mail.')).toBeVisible();
  });

  test('a kept link is not used for a person who signs in meanwhile', async ({ page, app }) => {
    const [owner, other] = [await app.newClient('Saulo Dono'), await app.newClient('Telma Outra')];
    await page.goto(await requestRecoveryLink(app.portaria, page, owner));
    await expect(page.getByLabel('Nova senha', { exact: true })).toBeVisible();
    await submitClientSignIn(page, other);
    await page.goto('/atualizar-senha');
    await submitNewPassword(page, 'senha da Telma', 'senha da Telma');
    await expect(page.getByText(UPDATED)).toBeVisible();
    await expect(page).toHaveURL('/login');
    await submitSignIn(page, other.email, 'senha da Telma');
    await expect(page).toHaveURL('/');
  });

  test('a kept link does not return after another person’s visit', async ({ page, app }) => {
    const [owner, other] = [await app.newClient('Ursula Dona'), await app.newClient('Valdo Outro')];
    await page.goto(await requestRecoveryLink(app.portaria, page, owner));
    await expect(page.getByLabel('Nova senha', { exact: true })).toBeVisible();
    await submitClientSignIn(page, other);
    await page.getByRole('button', { name: /Valdo Outro/ }).click();
    await page.getByRole('button', { name: 'Sair', exact: true }).click();
    await expect(page).toHaveURL('/login');
    await page.goto('/atualizar-senha');
    await expect(page.getByText('Abra esta página pelo link recebido por e-mail.')).toBeVisible();
  });

  test('without a valid link the page offers a new one', async ({ page }) => {
    await page.goto('/atualizar-senha');
    await expect(page.getByText('Abra esta página pelo link recebido por e-mail.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Pedir um novo link' })).toBeVisible();
    await submitNewPassword(page, 'nova senha', 'nova senha');
    await expect(page.getByText('Falha ao atualizar senha.').first()).toBeVisible();
    // The link is pasted into the same tab.
    await page.goto('/atualizar-senha#error=access_denied&error_code=otp_expired');
    await expect(page.getByText('Este link expirou ou já foi usado.')).toBeVisible();
    await page.getByRole('link', { name: 'Pedir um novo link' }).click();
    await expect(page).toHaveURL('/recuperar-senha');
  });

  test('an expired link says so to a person who is signed in, and leads on', async ({ page, app }) => {
    const person = await app.newClient('Noemi Conectada');
    await signInAsClient(page, person);
    await page.goto('/atualizar-senha#error=access_denied&error_code=otp_expired');
    const notice = page.getByText('Este link expirou ou já foi usado.');
    await expect(notice).toContainText(person.email);
    await page.getByRole('link', { name: 'Continuar sem trocar a senha' }).click();
    await expect(page).toHaveURL('/');
  });
});

async function submitSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

async function submitNewPassword(page: Page, password: string, confirmation: string): Promise<void> {
  await page.getByLabel('Nova senha', { exact: true }).fill(password);
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill(confirmation);
  await page.getByRole('button', { name: 'Atualizar Senha' }).click();
}

function toast(page: Page, text: string) {
  return page.locator('[data-slot="toast"]').filter({ hasText: text });
}

/** Requests a recovery link by the form and reads it from the mail. */
async function requestRecoveryLink(portaria: Portaria, page: Page, { email }: Person): Promise<string> {
  await page.goto('/recuperar-senha');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Enviar Link' }).click();
  await expect(page.getByText(SENT)).toBeVisible();
  const mail = (await portaria.mails()).findLast(({ recipient }) => recipient === email);
  const link = /href="([^"]*atualizar-senha#[^"]*)"/.exec(mail?.html ?? '')?.[1];
  expect(link).toBeDefined();
  return (link ?? '').replaceAll('&amp;', '&');
}
