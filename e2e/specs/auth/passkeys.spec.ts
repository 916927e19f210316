// Passkeys, with the virtual authenticator of Chromium (WebAuthn Level 3, section 11).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, type Page } from '@playwright/test';
import type * as Supabase from '@supabase/supabase-js';

import { ADMIN, type Portaria, startPortaria } from '../../fixtures/server.ts';
import { test as base } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { adminClient, createPerson, serviceClient, signIn, unwrap } from '../../helpers/api.ts';
import { openRowMenu } from '../../helpers/lists.ts';
import { findMail } from '../../helpers/mail-links.ts';

declare global {
  interface Window {
    readonly supabase: typeof Supabase;
  }
}

const OFFICIAL_CLIENT = join(
  import.meta.dirname,
  '../../../node_modules/@supabase/supabase-js/dist/umd/supabase.js',
);

/** Browsers accept no IP address for passkeys. */
const test = base.extend<{ settings: Record<string, string>; office: Portaria }>({
  settings: [{}, { option: true }],
  async office({ settings }, provide) {
    const portaria = await startPortaria({ host: 'localhost', settings });
    await provide(portaria);
    await portaria.stop();
  },
  baseURL: ({ office }, provide) => provide(office.url),
});

test('passkeys › a client adds one, signs in with it, renames and removes it', async ({ page, office }) => {
  await addAuthenticator(page);
  const person = await createPerson(
    office,
    await signIn(office, ADMIN),
    'Marina Lopes',
    'marina@lopes.com.br',
  );
  await page.goto('/login');
  await signInWithPassword(page, person);
  await expect(page).toHaveURL('/');

  await page.goto('/perfil');
  await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click();
  await expect(page.getByText('Chave de acesso adicionada.')).toBeVisible();
  const list = page.getByRole('list', { name: 'Chaves de acesso' });
  await expect(list.getByText('Chrome no Linux')).toBeVisible();
  await list.getByRole('button', { name: 'Renomear Chrome no Linux' }).click();
  await page.getByLabel('Nome', { exact: true }).last().fill('Meu notebook');
  await page.getByRole('button', { name: 'Salvar' }).last().click();
  await expect(list.getByText('Meu notebook')).toBeVisible();
  await expectAccessible(page);
  expect((await office.mails()).map(({ event }) => event)).toContain('passkey_added');

  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await page.goto('/login');
  const button = page.getByRole('button', { name: 'Entrar com chave de acesso' });
  await expect(button).toBeVisible();
  await expectAccessible(page);
  await button.click();
  await expect(page).toHaveURL('/');

  await page.goto('/perfil');
  await expect(list.getByText(/^Último uso em/)).toBeVisible();
  await list.getByRole('button', { name: 'Remover Meu notebook' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover' }).click();
  await expect(page.getByText('Chave de acesso removida.')).toBeVisible();
  await page.evaluate(() => localStorage.clear());
  await page.goto('/login');
  await button.click();
  await expect(page.getByText('Esta chave de acesso não vale para este portal.')).toBeVisible();
});

test.describe('required MFA', () => {
  test.use({
    settings: { PORTARIA_REQUIRE_SECOND_STEP: 'true', PORTARIA_REQUIRE_CURRENT_PASSWORD: 'true' },
  });

  test('passkeys › one is enough for an administrator', async ({ page }) => {
    await addAuthenticator(page);
    await page.goto('/admin/login');
    await signInWithPassword(page, ADMIN);
    await expect(page).toHaveURL('/admin/security');
    await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click();
    await expect(page.getByText('Chave de acesso adicionada.')).toBeVisible();
    await page.getByRole('link', { name: 'Clientes' }).click();
    await expect(page.getByRole('heading', { name: 'Clientes' })).toBeVisible();

    await signOut(page);
    await page.getByRole('button', { name: 'Entrar com chave de acesso' }).click();
    await expect(page).toHaveURL('/admin/dashboard');

    await signOut(page);
    await signInWithPassword(page, ADMIN);
    await expect(page).toHaveURL('/admin/security');
    await expect(page.getByText('A sua é uma chave de acesso')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Ligar verificação em duas etapas' })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Entrar com chave de acesso' }).click();
    await expect(page.getByRole('list', { name: 'Chaves de acesso' })).toBeVisible();
    await page.getByRole('link', { name: 'Clientes' }).click();
    await expect(page.getByRole('heading', { name: 'Clientes' })).toBeVisible();
  });

  test('passkeys › an administrator with one replaces a forgotten password', async ({ page, office }) => {
    await addAuthenticator(page);
    await page.goto('/admin/login');
    await signInWithPassword(page, ADMIN);
    await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click();
    await expect(page.getByText('Chave de acesso adicionada.')).toBeVisible();
    await signOut(page);
    await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();

    await page.goto('/recuperar-senha');
    await page.getByLabel('E-mail').fill(ADMIN.email);
    await page.getByRole('button', { name: 'Enviar Link' }).click();
    await expect.poll(async () => (await office.mails()).map(({ event }) => event)).toContain('recovery');
    await page.goto((await findMail(office, 'recovery', ADMIN.email)).link);
    await page.getByLabel('Nova senha', { exact: true }).fill('outra senha da Helena');
    await page.getByLabel('Confirmar nova senha').fill('outra senha da Helena');
    await page.getByRole('button', { name: 'Atualizar Senha' }).click();
    await expect(page.getByText('A sua é uma chave de acesso')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Entrar com chave de acesso' }).click();
    // The form keeps its input.
    await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('outra senha da Helena');
    await page.getByRole('button', { name: 'Atualizar Senha' }).click();
    await expect(page.getByText(/^Senha atualizada com sucesso!/)).toBeVisible();
  });

  test('passkeys › a new administrator replaces the password before MFA', async ({ page, office }) => {
    const rui = { email: 'rui@escritorio.com.br', password: 'dita por telefone' };
    const accountOfRui = {
      ...rui,
      email_confirm: true,
      app_metadata: { roles: ['admin'], must_change_password: true },
    };
    await unwrap(serviceClient(office).auth.admin.createUser(accountOfRui));
    await page.goto('/admin/login');
    await signInWithPassword(page, rui);
    await expect(page).toHaveURL('/atualizar-senha');
    await page.getByLabel('Nova senha', { exact: true }).fill('só o Rui sabe');
    await page.getByLabel('Confirmar nova senha').fill('só o Rui sabe');
    await page.getByRole('button', { name: 'Atualizar Senha' }).click();
    await expect(page.getByText(/^Senha atualizada com sucesso!/)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible();
    await signInWithPassword(page, { ...rui, password: 'só o Rui sabe' });
    await expect(page).toHaveURL('/admin/security');
  });
});

test('passkeys › the browser offers one in the autofill list', async ({ page }) => {
  await addAuthenticator(page);
  await page.goto('/admin/login');
  await signInWithPassword(page, ADMIN);
  await expect(page).toHaveURL('/admin/dashboard');
  await page.goto('/admin/security');
  await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click();
  await expect(page.getByText('Chave de acesso adicionada.')).toBeVisible();

  // The virtual authenticator selects the offered passkey at once.
  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page.getByText('Login bem-sucedido!')).toBeVisible();
  await expect(page).toHaveURL('/admin/dashboard');
});

test('passkeys › a security key is a second step for the official client', async ({ page, office }) => {
  await addAuthenticator(page, 'usb');
  const person = await createPerson(office, await signIn(office, ADMIN), 'Caio Melo', 'caio@oficina.com.br');
  const source = await readFile(OFFICIAL_CLIENT, 'utf8');
  await page.addInitScript({ content: `${source}\nwindow.supabase = supabase;` });
  await page.goto('/login');
  const levels = await page.evaluate(
    async ({ url, anonKey, email, password }) => {
      const client = window.supabase.createClient(url, anonKey, { auth: { storageKey: 'key-test' } });
      const { mfa } = client.auth;
      const found: (string | null | undefined)[] = [];
      const run = async (call: Promise<{ error: Error | null }>) => {
        const { error } = await call;
        if (error) throw error;
        found.push((await mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel);
      };
      await run(client.auth.signInWithPassword({ email, password }));
      await run(mfa.webauthn.register({ friendlyName: 'Chaveiro' }));
      await run(client.auth.signOut());
      await run(client.auth.signInWithPassword({ email, password }));
      const { data } = await mfa.listFactors();
      await run(mfa.webauthn.authenticate({ factorId: data?.webauthn[0]?.id ?? '' }));
      return found;
    },
    { url: office.url, anonKey: office.anonKey, email: person.email, password: person.password },
  );
  expect(levels).toEqual(['aal1', 'aal2', null, 'aal1', 'aal2']);

  // The portal's own pages ask for the key, and remove it.
  await signInWithPassword(page, person);
  await expect(page.getByText('Confirme que é você com a sua chave de segurança.')).toBeVisible();
  await expect(page.getByLabel('Código de 6 dígitos')).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Usar chave de segurança' }).click();
  await expect(page).toHaveURL('/');
  await page.goto('/perfil');
  await expect(page.getByText('Ligada', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Desligar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desligar' }).click();
  await expect(page.getByRole('button', { name: 'Ligar verificação em duas etapas' })).toBeVisible();
});

test('passkeys › a reset of a colleague without a second step changes nothing', async ({ page, office }) => {
  const admin = await signIn(office, ADMIN);
  const bia = await createPerson(office, admin, 'Bia Reis', 'bia@escritorio.com.br');
  const api = await adminClient(office, admin);
  await unwrap(api.auth.admin.updateUserById(bia.id, { app_metadata: { roles: ['admin'] } }));
  await page.goto('/admin/login');
  await signInWithPassword(page, ADMIN);
  await expect(page).toHaveURL('/admin/dashboard');
  await page.goto('/admin/administrators');
  await openRowMenu(page, 'Bia Reis');
  await page.getByRole('menuitem', { name: 'Redefinir verificação em duas etapas' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Redefinir' }).click();
  await expect(
    page.getByText('Esta pessoa não tem segunda etapa nem chave de acesso: nada foi mudado.'),
  ).toBeVisible();
});

test('passkeys › a portal without a domain name offers none', async ({ page }) => {
  const portaria = await startPortaria();
  await page.goto(`${portaria.url}/login`);
  await expect(page.getByRole('button', { name: 'Entrar', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Entrar com chave de acesso' })).toHaveCount(0);
  await portaria.stop();
});

async function signInWithPassword(page: Page, account: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Senha', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
}

/** Signs out, and prevents the offer of a passkey, which the virtual authenticator would accept. */
async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.removeItem('portaria-passkey'));
  await page.getByRole('button', { name: 'Sair' }).click();
}

async function addAuthenticator(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
