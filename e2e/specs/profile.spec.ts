// The profile: account data, sessions, notifications, calendar link and data export.

import { readFile } from 'node:fs/promises';

import { type Browser, expect, type Page } from '@playwright/test';

import { ADMIN, type Portaria, startPortaria } from '../fixtures/server.ts';
import { signInAsAdmin, submitAdminSignIn, submitClientSignIn, test } from '../fixtures/test.ts';
import { adminClient, createPerson, expectOk, type Person, signIn, unwrap } from '../helpers/api.ts';
import { findMail } from '../helpers/mail-links.ts';

const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

/** Signs in with another browser that has this user agent. */
async function anotherBrowser(browser: Browser, baseURL: string, userAgent: string, person: Person) {
  const page = await (await browser.newContext({ baseURL, userAgent })).newPage();
  await submitClientSignIn(page, person);
  return page;
}

/** Opens the profile and waits for its lists, which move the cards below them when they load. */
async function openProfile(page: Page): Promise<void> {
  await page.goto('/perfil');
  await expect(page.getByRole('heading', { level: 1, name: 'Meu Perfil' })).toBeVisible();
  await expect(page.getByText('Carregando…')).toHaveCount(0);
}

const section = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });

test('profile › is reached from the account menu, and the name is changed', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Ana Clara Souza'));
  await page.getByRole('button', { name: /Ana Clara Souza/ }).click();
  await expect(page.getByRole('link', { name: 'Meu perfil' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/perfil');
  await expect(page).toHaveTitle('Meu Perfil · Portaria');
  const name = page.getByLabel('Nome completo');
  await expect(name).toHaveValue('Ana Clara Souza');
  await name.fill('   ');
  await page.getByRole('button', { name: 'Salvar nome' }).click();
  await expect(page.getByText('Nome completo é obrigatório.')).toBeVisible();
  await name.fill('Ana Clara de Souza Lima');
  await expect(page.getByText('Nome completo é obrigatório.')).toBeHidden();
  await page.getByRole('button', { name: 'Salvar nome' }).click();
  await expect(page.getByText('Nome atualizado')).toBeVisible();
  await expect(page.getByRole('button', { name: /Ana Clara de Souza Lima/ })).toBeVisible();
  await page.reload();
  await expect(name).toHaveValue('Ana Clara de Souza Lima');
});

test('change of address › requires confirmation from both addresses', async ({ page, app }) => {
  const person = await app.newClient('Bruno Tavares');
  const newEmail = `novo.${person.email}`;
  await submitClientSignIn(page, person);
  await openProfile(page);
  const email = section(page, 'E-mail de acesso');
  await email.getByRole('button', { name: 'Alterar e-mail' }).click();
  await email.getByLabel('Novo e-mail').fill(person.email.toUpperCase());
  await email.getByRole('button', { name: 'Enviar confirmação' }).click();
  await expect(email.getByText('Este já é o seu e-mail.')).toBeVisible();
  await email.getByLabel('Novo e-mail').fill(newEmail);
  await email.getByRole('button', { name: 'Enviar confirmação' }).click();
  await expect(page.getByText('Confirme a troca de e-mail')).toBeVisible();
  const pending = email.getByRole('status');
  await expect(pending).toContainText(`Troca pendente para ${newEmail}`);
  await expect(pending).toContainText(`Enviamos um link para ${person.email} e outro para o novo endereço.`);
  await pending.getByRole('button', { name: 'Enviar de novo' }).click();
  await expect(page.getByText('Muitos e-mails pedidos. Aguarde um pouco e tente de novo.')).toBeVisible();

  const confirm = async (to: string) => {
    const { link } = await findMail(app.portaria, 'email_change', to);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('button', { name: 'Confirmar endereço' }).click();
  };
  await confirm(person.email);
  await expect(page.getByText('Um dos endereços está confirmado.')).toBeVisible();
  // A link is valid once.
  await confirm(person.email);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Este link expirou ou já foi usado.');
  await page.getByRole('link', { name: 'Ir para Meu Perfil' }).click();
  await expect(email.getByText(person.email, { exact: true }).first()).toBeVisible();
  await confirm(newEmail);
  await expect(page).toHaveURL('/perfil');
  await expect(email.getByRole('definition')).toHaveText(newEmail);
  await expect(pending).toBeHidden();
  await expect(page.getByRole('button', { name: 'Menu da conta' })).toContainText(newEmail);
});

test('change of address › a guest who opens the link of another app sees the result', async ({
  app,
  browser,
  baseURL,
}) => {
  const person = await app.newClient('Bárbara Reis');
  const client = await signIn(app.portaria, person);
  await expectOk(
    client.auth.updateUser(
      { email: `novo.${person.email}` },
      { emailRedirectTo: `${app.portaria.url}/perfil` },
    ),
  );
  const { link } = await findMail(app.portaria, 'email_change', person.email);
  const phone = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage();
  await phone.goto(link);
  await expect(phone).toHaveURL('/login');
  await expect(phone.getByRole('status').filter({ hasText: 'Um dos endereços' })).toHaveText(
    'Um dos endereços está confirmado. Abra também o link enviado ao outro endereço.',
  );
  await phone.goto('about:blank');
  await phone.goto(link);
  await expect(phone.getByRole('alert').filter({ hasText: 'Este link' })).toHaveText(
    'Este link expirou ou já foi usado. Entre para pedir outro.',
  );
  // The sign-in leads to the page of the link.
  await phone.getByLabel('E-mail').fill(person.email);
  await phone.getByLabel('Senha', { exact: true }).fill(person.password);
  await phone.getByRole('button', { name: 'Entrar' }).click();
  await expect(phone).toHaveURL('/perfil');
  await expect(section(phone, 'E-mail de acesso')).toContainText('Troca pendente para');
});

test('change of password › ends the other sessions', async ({ page, app, browser, baseURL }) => {
  const person = await app.newClient('Carla Nogueira');
  await submitClientSignIn(page, person);
  const other = await anotherBrowser(browser, baseURL ?? '', IPHONE, person);
  await openProfile(page);
  const form = section(page, 'Senha');
  const send = form.getByRole('button', { name: 'Alterar senha' });
  await expect(form.getByLabel('Senha atual')).toBeHidden();
  await form.getByLabel('Nova senha', { exact: true }).fill('curta');
  await form.getByLabel('Confirmar nova senha').fill('outra');
  await send.click();
  await expect(form.getByText('A senha deve ter no mínimo 6 caracteres.')).toBeVisible();
  await expect(form.getByText('As senhas não coincidem.')).toBeVisible();
  await form.getByLabel('Nova senha', { exact: true }).fill(person.password);
  await form.getByLabel('Confirmar nova senha').fill(person.password);
  await send.click();
  const newPassword = form.getByLabel('Nova senha', { exact: true });
  await expect(newPassword).toHaveAccessibleDescription(/^A nova senha precisa ser diferente da atual\./);
  await expect(newPassword).toBeFocused();
  await newPassword.fill('minhasenha');
  await form.getByLabel('Confirmar nova senha').fill('minhasenha');
  await send.click();
  await expect(newPassword).toHaveAccessibleDescription(/^Esta senha está entre as mais usadas/);
  await expect(form.getByRole('alert')).toHaveCount(1);
  // Decomposed form (NFD), as some keyboards write it.
  const password = 'senha não usada';
  await form.getByLabel('Nova senha', { exact: true }).fill(password.normalize('NFD'));
  await form.getByLabel('Confirmar nova senha').fill(password.normalize('NFD'));
  await send.click();
  await expect(page.getByText('Os outros dispositivos foram desconectados.')).toBeVisible();
  await expect(form.getByLabel('Nova senha', { exact: true })).toHaveValue('');
  await expect(section(page, 'Dispositivos conectados').getByRole('listitem')).toHaveCount(1);
  await other.goto('/tickets');
  await expect(other).toHaveURL('/login');
  await anotherBrowser(browser, baseURL ?? '', WINDOWS, { ...person, password });
  await findMail(app.portaria, 'password_changed', person.email);
});

test.describe('change of password with required reauthentication', () => {
  test('asks for a mailed code if the session is older than a day', async ({ browser }) => {
    const strict = await startPortaria({ settings: { PORTARIA_REQUIRE_REAUTHENTICATION: 'true' } });
    try {
      const person = await createPerson(
        strict,
        await signIn(strict, ADMIN),
        'Diego Prates',
        'diego@padaria.com.br',
      );
      const page = await (await browser.newContext({ baseURL: strict.url })).newPage();
      await submitClientSignIn(page, person);
      strict.execSql("UPDATE sessions SET created_at = '2026-01-01T00:00:00.000000Z'");
      await changePasswordByCode(page, strict, person);
    } finally {
      await strict.stop();
    }
  });
});

async function changePasswordByCode(page: Page, portaria: Portaria, person: Person): Promise<void> {
  await openProfile(page);
  const form = section(page, 'Senha');
  await form.getByLabel('Nova senha', { exact: true }).fill('uma senha nova');
  await form.getByLabel('Confirmar nova senha').fill('uma senha nova');
  const send = form.getByRole('button', { name: 'Alterar senha' });
  await send.click();
  await expect(form.getByText('enviamos um código de 6 números ao seu e-mail')).toBeVisible();
  await form.getByLabel('Código').fill('12');
  await send.click();
  await expect(form.getByText('Digite os 6 números do código.')).toBeVisible();
  await form.getByLabel('Código').fill((await findMail(portaria, 'reauthentication', person.email)).code);
  await send.click();
  await expect(page.getByText('Senha atualizada')).toBeVisible();
  await expect(form.getByLabel('Código')).toBeHidden();
}

test('sessions › are named by device and ended individually or all at once', async ({
  page,
  app,
  browser,
  baseURL,
}) => {
  const person = await app.newClient('Eduarda Pires');
  await submitClientSignIn(page, person);
  const windows = await anotherBrowser(browser, baseURL ?? '', WINDOWS, person);
  const iphone = await anotherBrowser(browser, baseURL ?? '', IPHONE, person);
  await openProfile(page);
  const devices = section(page, 'Dispositivos conectados');
  await expect(devices.getByRole('listitem')).toHaveCount(3);
  await expect(devices.getByRole('listitem').first()).toContainText('Este dispositivo');
  await expect(devices.getByText('Este dispositivo')).toHaveCount(1);
  const row = devices.getByRole('listitem').filter({ hasText: 'Safari no iPhone' });
  await expect(row).toContainText(/Conectado em \d\d\/\d\d\/\d{4} às \d\d:\d\d/);
  await expect(row).toContainText(/Último uso em \d\d\/\d\d\/\d{4} às \d\d:\d\d/);
  await row.getByRole('button', { name: /^Desconectar Safari no iPhone/ }).click();
  await expect(page.getByText('Dispositivo desconectado')).toBeVisible();
  await expect(devices.getByRole('listitem')).toHaveCount(2);
  await iphone.goto('/tickets');
  await expect(iphone).toHaveURL('/login');
  await windows.goto('/tickets');
  await expect(windows).toHaveURL('/tickets');
  await devices.getByRole('button', { name: 'Sair dos outros dispositivos' }).click();
  await expect(page.getByText('Outros dispositivos desconectados')).toBeVisible();
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await expect(devices.getByRole('button', { name: 'Sair dos outros dispositivos' })).toBeHidden();
  await windows.goto('/tickets');
  await expect(windows).toHaveURL('/login');
  await page.reload();
  await expect(page).toHaveURL('/perfil');
});

test('sessions › staff see and end their own', async ({ page, app, browser, baseURL }) => {
  const colleague = { email: 'ines@sessoes-do-escritorio.com.br', password: 'uma senha de colega' };
  const office = await adminClient(app.portaria, app.admin);
  const rights = { roles: ['admin'], office_role: 'employee' };
  await unwrap(office.auth.admin.createUser({ ...colleague, email_confirm: true, app_metadata: rights }));
  const other = await (await browser.newContext({ baseURL: baseURL ?? '', userAgent: WINDOWS })).newPage();
  await submitAdminSignIn(other, colleague);
  await signInAsAdmin(page, colleague);
  await page.goto('/admin/security');
  const devices = section(page, 'Dispositivos conectados');
  await expect(devices.getByRole('listitem')).toHaveCount(2);
  await devices.getByRole('button', { name: /^Desconectar Chrome no Windows/ }).click();
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await other.goto('/admin/documents');
  await expect(other).toHaveURL('/admin/login');
});

test('notifications › are switched off and on by topic', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Felipe Moura'));
  await openProfile(page);
  const topics = ['Novos documentos', 'Vencimentos', 'Tickets'];
  for (const topic of topics) {
    await expect(page.getByRole('checkbox', { name: topic })).toBeChecked();
  }
  await page.getByRole('checkbox', { name: 'Vencimentos' }).uncheck();
  await expect(page.getByText('Aviso desligado')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Vencimentos' })).not.toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Tickets' })).toBeChecked();
  await page.getByRole('checkbox', { name: 'Vencimentos' }).check();
  await expect(page.getByText('Aviso ligado')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Vencimentos' })).toBeChecked();
  await expect(
    page.getByText('Avisos sobre a sua conta e a sua segurança são sempre enviados.'),
  ).toBeVisible();
});

test('notifications › show the stored value after rapid changes', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Fernanda Luz'));
  await openProfile(page);
  const topic = page.getByRole('checkbox', { name: 'Vencimentos' });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/rest/v1/muted_topics*', async (route) => {
    if (route.request().method() === 'POST') await released;
    await route.continue();
  });
  await topic.click();
  await topic.click();
  release();
  await page.waitForLoadState('networkidle');
  const isChecked = await topic.isChecked();
  await page.reload();
  await expect(topic).toBeChecked({ checked: isChecked });
});

test('calendar link › is created, copied, renewed and revoked', async ({ page, app, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await submitClientSignIn(page, await app.newClient('Gisele Antunes'));
  await page.goto('/calendar');
  await page.getByRole('link', { name: 'Assinar calendário' }).click();
  await expect(page).toHaveURL('/perfil#calendario');
  const calendar = section(page, 'Assinatura do calendário');
  await expect(calendar).toBeInViewport();
  await calendar.getByRole('button', { name: 'Criar link do calendário' }).click();
  const field = calendar.getByLabel('Link do calendário');
  await expect(field).toHaveValue(/^http:.+\/calendario\/[\w-]{43}\.ics$/);
  const first = await field.inputValue();
  await calendar.getByRole('button', { name: 'Copiar link' }).click();
  await expect(page.getByText('Link copiado')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
  await expect(calendar.getByRole('link', { name: 'Abrir no calendário deste aparelho' })).toHaveAttribute(
    'href',
    first.replace('http:', 'webcal:'),
  );
  for (const program of ['Google Agenda', 'Outlook', 'iPhone, iPad e Mac']) {
    await expect(calendar.getByText(program, { exact: true })).toBeVisible();
  }
  expect((await fetch(first)).status).toBe(200);
  // It shows again on the next visit.
  await page.reload();
  await expect(field).toHaveValue(first);

  await calendar.getByRole('button', { name: 'Criar novo link' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Criar novo link' }).click();
  await expect(page.getByText('Novo link criado')).toBeVisible();
  await expect(field).not.toHaveValue(first);
  expect((await fetch(first)).status).toBe(404);
  const second = await field.inputValue();
  await calendar.getByRole('button', { name: 'Revogar link' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revogar link' }).click();
  await expect(page.getByText('Link revogado')).toBeVisible();
  await expect(calendar.getByRole('button', { name: 'Criar link do calendário' })).toBeVisible();
  expect((await fetch(second)).status).toBe(404);
});

test('calendar link › asks for manual copying without clipboard access', async ({ page, app }) => {
  // As without TLS, where browsers offer no clipboard.
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
  await submitClientSignIn(page, await app.newClient('Gilberto Sá'));
  await openProfile(page);
  await page.getByRole('button', { name: 'Criar link do calendário' }).click();
  await page.getByRole('button', { name: 'Copiar link' }).click();
  await expect(page.getByText('Erro ao copiar')).toBeVisible();
  await expect(page.getByText('Selecione o texto e copie-o à mão.')).toBeVisible();
});

test('data export › downloads the archive and reports failures and limits', async ({ page, app }) => {
  await submitClientSignIn(page, await app.newClient('Heitor Lacerda'));
  await openProfile(page);
  const data = section(page, 'Meus dados');
  const downloadButton = data.getByRole('button', { name: 'Baixar meus dados' });
  const download = page.waitForEvent('download');
  await downloadButton.click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^meus-dados-\d{4}-\d\d-\d\d\.zip$/);
  const bytes = await readFile(await file.path());
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
  for (const name of [
    'perfil.json',
    'documentos.json',
    'tickets.json',
    'mensagens.json',
    'anexos.json',
    'historico.json',
  ]) {
    expect(bytes.includes(name), name).toBe(true);
  }
  await expect(page.getByText('Seus dados foram baixados')).toBeVisible();

  await page.route('**/account/v1/export', (route) => route.abort());
  await downloadButton.click();
  await expect(page.getByText('Erro ao baixar seus dados')).toBeVisible();
  await expect(page.getByText('Sem conexão com o servidor.')).toBeVisible();
  await page.unroute('**/account/v1/export');
  for (let count = 0; count < 4; count += 1) {
    const again = page.waitForEvent('download');
    await downloadButton.click();
    await again;
    await expect(downloadButton).toBeEnabled();
  }
  await downloadButton.click();
  await expect(page.getByText('Muitas tentativas. Aguarde um pouco e tente de novo.')).toBeVisible();
});

test.describe('change of password with required current password', () => {
  test('asks for the current password', async ({ page, browser, app }) => {
    expect(app.portaria.url).not.toBe('');
    const strict = await startPortaria({
      demo: true,
      settings: { PORTARIA_REQUIRE_CURRENT_PASSWORD: 'true' },
    });
    try {
      await page.close();
      const other = await (await browser.newContext({ baseURL: strict.url })).newPage();
      await submitClientSignIn(other, {
        email: 'mariana.albuquerque@clinicavivabem.com.br',
        password: 'portaria-demo',
      });
      await openProfile(other);
      const form = section(other, 'Senha');
      await form.getByLabel('Nova senha', { exact: true }).fill('uma senha nova');
      await form.getByLabel('Confirmar nova senha').fill('uma senha nova');
      await form.getByRole('button', { name: 'Alterar senha' }).click();
      await expect(form.getByRole('alert')).toHaveText('Informe a senha atual.');
      await expect(form.getByLabel('Senha atual')).toHaveAccessibleDescription('Informe a senha atual.');
      await form.getByLabel('Senha atual').fill('não é esta');
      await form.getByRole('button', { name: 'Alterar senha' }).click();
      await expect(form.getByRole('alert')).toHaveText('A senha atual está incorreta.');
      await form.getByLabel('Senha atual').fill('portaria-demo');
      await form.getByRole('button', { name: 'Alterar senha' }).click();
      await expect(other.getByText('Senha atualizada')).toBeVisible();
    } finally {
      await strict.stop();
    }
  });
});
