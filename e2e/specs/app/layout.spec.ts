// The layout around every screen: header, account menu, sidebar, spinner and toasts.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { addTicket } from '../../helpers/tickets.ts';

const ENTRIES = ['Início', 'Tickets', 'Documentos', 'Calendário', 'Solicitações'];

test("header › shows the portal's name, and the account menu the person", async ({ page, app }) => {
  const person = await app.newClient('Sílvia Novaes');
  await signInAsClient(page, person);
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Portaria' })).toHaveAttribute('href', '/');
  const account = header.getByRole('button', { name: 'Menu da conta' });
  await expect(account).toContainText(person.email.slice(0, 2).toUpperCase());
  await account.click();
  const menu = page.getByRole('group', { name: 'Conta' });
  await expect(menu.getByRole('listitem')).toHaveText([
    'Meu perfil',
    'Pessoas',
    'Ajuda',
    'Tema: do sistema',
    'Sair',
  ]);
  await menu.getByRole('button', { name: 'Tema: do sistema' }).click();
  await menu.getByRole('button', { name: 'Tema: claro' }).click();
  await expect(menu.getByRole('button', { name: 'Tema: escuro' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(account).toContainText('Sílvia Novaes');
  await expect(account).toContainText(person.email);
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(account).toBeFocused();
});

test("header › shows 'Cliente' if the name is empty", async ({ page, app }) => {
  await signInAsClient(page, await app.newClient(' '));
  await expect(page.getByRole('button', { name: 'Menu da conta: Cliente' })).toBeVisible();
});

test('sidebar › links to the five sections and marks the current one', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Tadeu Brito'));
  const sidebar = page.getByRole('navigation', { name: 'Principal' });
  const entries = sidebar.getByRole('link');
  await expect(entries).toHaveText(ENTRIES);
  for (const [path, at] of [
    ['/', 0],
    ['/tickets', 1],
    ['/tickets/new', 1],
    ['/documents', 2],
    ['/documents/faturas', 2],
    ['/calendar', 3],
    ['/solicitacoes', 4],
  ] as const) {
    await page.goto(path);
    await expect(entries.nth(at)).toHaveAttribute('aria-current', 'page');
    await expect(sidebar.locator('[aria-current=page]')).toHaveCount(1);
  }
  await page.goto('/perfil');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(sidebar.locator('[aria-current=page]')).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('sidebar › opens as an overlay, which Escape or a choice closes', async ({ page, app }) => {
    await signInAsClient(page, await app.newClient('Ubirajara Luz'));
    const button = page.getByRole('button', { name: 'Abrir menu' });
    const overlay = page.getByRole('dialog', { name: 'Principal' });
    await expect(overlay).toBeHidden();
    await button.click();
    await expect(button).toHaveAttribute('aria-expanded', 'true');
    await expect(overlay.getByRole('link')).toHaveText(ENTRIES);
    await page.keyboard.press('Escape');
    await expect(overlay).toBeHidden();
    await expect(button).toBeFocused();
    await button.click();
    await overlay.getByRole('link', { name: 'Documentos' }).click();
    await expect(page).toHaveURL('/documents');
    await expect(overlay).toBeHidden();
    await button.click();
    await page.goBack();
    await expect(page).toHaveURL('/');
    await expect(overlay).toBeHidden();
  });
});

test('sidebar › a wider window closes the open overlay', async ({ page, app }) => {
  await page.setViewportSize({ width: 820, height: 1180 });
  await signInAsClient(page, await app.newClient('Vânia Coelho'));
  await page.getByRole('button', { name: 'Abrir menu' }).click();
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.getByRole('main').getByRole('link', { name: 'Criar ticket' }).first().click();
  await expect(page).toHaveURL('/tickets/new');
});

test('sidebar › marks the current section and buttons in forced colors', async ({ page, app }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await signInAsClient(page, await app.newClient('Sueli Contraste'));
  await page.goto('/tickets');
  const sidebar = page.getByRole('navigation');
  expect(await sidebar.getByRole('link', { name: 'Tickets' }).evaluate(hasEdge)).toBe(true);
  expect(await sidebar.getByRole('link', { name: 'Documentos' }).evaluate(hasEdge)).toBe(false);
  expect(await page.getByRole('link', { name: 'Novo Ticket' }).first().evaluate(hasEdge)).toBe(true);
});

test('primary action › is no bar over a page of low height', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Zulmira Zoom'));
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto('/tickets');
  const action = page.locator('[data-slot=primary-action]');
  await expect(action).toHaveCSS('position', 'fixed');
  // A window of 1280 × 1024 at 400 %.
  await page.setViewportSize({ width: 320, height: 256 });
  await expect(action).toHaveCSS('position', 'static');
});

test('text size › buttons, menus and small texts follow the size that the browser is set to', async ({
  page,
  app,
}) => {
  await signInAsClient(page, await app.newClient('Zélia Lupa'));
  await page.goto('/documents');
  await expect(page.getByRole('link', { name: 'Contratos 0 documentos' })).toBeVisible();
  const texts = [
    page.getByRole('heading', { level: 1 }),
    page.getByRole('link', { name: 'Enviar documento' }),
    page.getByRole('navigation').getByRole('link', { name: 'Tickets' }),
    page.getByRole('banner').getByText('@padaria.com.br').first(),
  ];
  const sizes = () =>
    Promise.all(
      texts.map((text) => text.evaluate((node) => Number.parseFloat(getComputedStyle(node).fontSize))),
    );
  const before = await sizes();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '24px';
  });
  await expect.poll(sizes).toEqual(before.map((size) => size * 1.5));
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('loading › shows a spinner until the session is known', async ({ page }) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/config.json', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/documents', { waitUntil: 'commit' });
  await expect(page.getByRole('main').getByRole('status')).toHaveText('Carregando…');
  release();
  await expect(page).toHaveURL('/login');
});

test('sign-out › failure shows a toast that stays until it is dismissed', async ({ page, app }) => {
  await page.clock.install();
  await signInAsClient(page, await app.newClient('Vicente Góis'));
  await page.route('**/auth/v1/logout?*', (route) => route.abort('connectionreset'));
  await page.getByRole('button', { name: 'Menu da conta' }).click();
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  const failure = toasts(page).filter({ hasText: 'Erro ao fazer logout' });
  await expect(failure).toHaveCount(1);
  await page.mouse.move(0, 0);
  await page.clock.runFor(6_000);
  await expect(toasts(page)).toHaveCount(1);
  await expect(failure).toBeVisible();
  await failure.getByRole('button', { name: 'Dispensar aviso' }).click();
  await expect(toasts(page)).toBeHidden();
  await page.unroute('**/auth/v1/logout?*');
  await page.getByRole('button', { name: 'Menu da conta' }).click();
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  await expect(toasts(page)).toHaveText('Logout realizado com sucesso!');
  await expect(page).toHaveURL('/login');
  await page.mouse.move(0, 0);
  await page.clock.runFor(5_500);
  await expect(toasts(page)).toBeHidden();
});

test('sign-out › asks before it discards unsaved or unsent input', async ({ page, app }) => {
  const client = await app.newClient('Wanda Peixoto');
  const ticket = await addTicket(app.portaria, client, { subject: 'Sem resposta' });
  await signInAsAdmin(page);
  const leave = page.getByRole('banner').getByRole('button', { name: 'Sair' });
  const unsaved = page.getByRole('alertdialog', { name: 'Sair sem salvar?' });
  const unsent = page.getByRole('alertdialog', { name: 'Sair sem enviar?' });

  await page.goto(`/admin/clients/edit/${client.id}`);
  await page.getByLabel('Nome Completo').fill('Wanda Peixoto Lima');
  await leave.click();
  await expect(unsaved).toContainText('O que foi preenchido nesta página ainda não foi salvo.');
  await unsaved.getByRole('button', { name: 'Cancelar' }).click();
  await expect(page.getByLabel('Nome Completo')).toHaveValue('Wanda Peixoto Lima');
  await page.getByRole('navigation').getByRole('link', { name: 'Tickets' }).click();
  await unsaved.getByRole('button', { name: 'Sair sem salvar' }).click();

  await expect(page).toHaveURL('/admin/tickets');
  await page.goto(`/admin/tickets/${ticket}`);
  await page.getByLabel('Sua resposta').fill('Prezada Wanda,');
  await leave.click();
  await expect(unsent).toContainText('Há textos que você escreveu e ainda não enviou ou salvou.');
  await unsent.getByRole('button', { name: 'Cancelar' }).click();
  await expect(page.getByLabel('Sua resposta')).toHaveValue('Prezada Wanda,');
  await leave.click();
  await unsent.getByRole('button', { name: 'Apagar e sair' }).click();
  await expect(page).toHaveURL('/admin/login');
  // Without unsaved input there is no question.
  await signInAsAdmin(page);
  await leave.click();
  await expect(page).toHaveURL('/admin/login');
});

function toasts(page: Page) {
  return page.locator('[data-slot="toast"]');
}

/** Whether an element has a visible edge. */
function hasEdge(element: Element): boolean {
  const { outlineStyle, borderTopWidth } = getComputedStyle(element);
  return outlineStyle === 'solid' || borderTopWidth !== '0px';
}
