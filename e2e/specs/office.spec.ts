// The office's settings: identity, contacts, hours and holidays.

import { expect, type Page } from '@playwright/test';

import { holdRequest, signInAsAdmin, signInAsClient, test } from '../fixtures/test.ts';
import { expectAccessible } from '../helpers/accessibility.ts';

/** A logo that tries to run a script and to load a picture from another address. */
const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 200 80"
  onload="document.title='atacado'"><script>document.title='atacado'</script>
  <image href="https://atacante.example/pixel.png" width="1" height="1"/>
  <rect width="200" height="80" rx="12" fill="#b3541e"/><circle cx="40" cy="40" r="24" fill="#fff"/></svg>`;

const YELLOW = '#ffd600';

test('the office changes its color', async ({ page, app }) => {
  const client = await app.newClient('Conceição Araújo');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Configurações' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Configurações');
  await expect(page.getByText('smtp_url')).toBeVisible();

  await page.getByLabel('Nome do escritório').fill('Prado & Filhos Contabilidade');
  await page
    .getByLabel('Logotipo')
    .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(HOSTILE_SVG) });
  await expect(page.getByAltText('Logotipo escolhido')).toHaveAttribute('src', /^data:image\/png;base64,/);
  await page.getByLabel('Cor', { exact: true }).fill('amarelo');
  await page.getByLabel('Telefone').fill('(11) 3333-4444');
  await page.getByLabel('WhatsApp').fill('11 98765-4321');
  await page.getByLabel('E-mail', { exact: true }).fill('contato@prado.com.br');
  await page.getByLabel('Texto de boas-vindas').fill('Bem-vindo ao portal da Prado.');
  await page.getByRole('button', { name: 'Salvar Configurações' }).click();
  await expect(page.getByText('Uma cor tem a forma #0e5a6b.').first()).toBeVisible();
  await page.getByLabel('Cor', { exact: true }).fill(YELLOW);
  await expect(page.getByText(`Textos na cor ${YELLOW} não seriam legíveis`)).toBeVisible();
  await page.getByRole('button', { name: 'Salvar Configurações' }).click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();

  // Both areas, without a new sign-in.
  const header = page.getByRole('banner');
  await expect(header).toContainText('Prado & Filhos Contabilidade');
  await expect(header.locator('img')).toHaveAttribute('src', /^\/office\/logo\.png\?v=/);
  const primary = await tokenColor(page);
  expect(primary).not.toBe('#0e5a6b');

  // The next save conflicts with nothing, and keeps what is typed meanwhile.
  const held = await holdRequest(page, /office_settings/, 'PATCH');
  await page.getByLabel('Nome do escritório').fill('Prado Contabilidade');
  await page.getByRole('button', { name: 'Salvar Configurações' }).click();
  await held.started;
  await page.getByLabel('Endereço').fill('Rua do Porto, 1');
  held.release();
  await expect(header).toContainText('Prado Contabilidade');
  await page.getByLabel('Nome do escritório').fill('Prado & Filhos Contabilidade');
  await page.getByRole('button', { name: 'Salvar Configurações' }).click();
  await expect(header).toContainText('Prado & Filhos Contabilidade');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL('/admin/dashboard');
  await page.goto('/admin/settings');
  await expect(page.getByLabel('Endereço')).toHaveValue('Rua do Porto, 1');
  await expect(page.getByLabel('WhatsApp')).toHaveValue('(11) 98765-4321');
  await expect(page.getByLabel('Cor', { exact: true })).toHaveValue(YELLOW);
  expect(requested.some((url) => url.includes('atacante'))).toBe(false);
  await expect(page).toHaveTitle('Configurações · Prado & Filhos Contabilidade');

  await signInAsClient(page, client);
  await expect(page.getByRole('banner')).toContainText('Prado & Filhos Contabilidade');
  await expect(page.getByRole('banner').locator('img')).toBeVisible();
  expect(await tokenColor(page)).toBe(primary);
  const manifest = await (await page.request.get('/manifest.webmanifest')).json();
  expect(manifest).toMatchObject({ name: 'Prado & Filhos Contabilidade', theme_color: primary });

  await page.evaluate(() => localStorage.clear());
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto('/login');
    await expect(page.getByText('Bem-vindo ao portal da Prado.')).toBeVisible();
    const help = page.getByRole('region', { name: 'Precisa de ajuda?' });
    await expect(help.getByRole('link', { name: /Telefone/ })).toHaveAttribute('href', 'tel:1133334444');
    await expect(help.getByRole('link', { name: /WhatsApp/ })).toHaveAttribute(
      'href',
      /wa\.me\/5511987654321/,
    );
    await expect(help.getByRole('link', { name: /E-mail/ })).toHaveAttribute(
      'href',
      'mailto:contato@prado.com.br',
    );
    await expectAccessible(page);
  }
  await signInAsAdmin(page);
  await page.goto('/admin/settings');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.getByLabel('Nome do escritório')).toHaveValue('Prado & Filhos Contabilidade');
    await expectAccessible(page);
  }
});

test('hours and holidays › are checked and saved', async ({ page }) => {
  await signInAsAdmin(page);
  await page.goto('/admin/settings');
  const monday = page.getByRole('group', { name: 'Segunda-feira' });
  await expect(monday).toHaveText('Fechado');
  await page.getByRole('button', { name: 'Adicionar horário de segunda-feira' }).click();
  await page.getByLabel('Segunda-feira: fecha às').fill('07:00');
  await page.getByRole('button', { name: 'Adicionar feriado' }).click();
  await page.getByLabel('Data do feriado 1').fill('2026-12-24');
  const save = page.getByRole('button', { name: 'Salvar Configurações' });
  await save.click();
  await expect(page.getByText('O atendimento termina depois de começar.').first()).toBeVisible();
  await expect(page.getByText('Preencha a data e o nome de cada feriado.')).toBeVisible();
  await page.getByLabel('Segunda-feira: fecha às').fill('17:00');
  await page.getByRole('button', { name: 'Repetir a segunda até sexta' }).click();
  await page.getByLabel('Nome do feriado 1').fill('Recesso de Natal');
  const rule = page.getByRole('combobox', { name: 'ISS' });
  await expect(rule).toHaveValue('unknown');
  await expect(page.getByRole('combobox', { name: 'FGTS' })).toHaveValue('earlier');
  await rule.selectOption('Prorroga');
  await save.click();
  await expect(page.getByText('Configurações salvas com sucesso!')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Sexta-feira: fecha às')).toHaveValue('17:00');
  await expect(page.getByLabel('Nome do feriado 1')).toHaveValue('Recesso de Natal');
  await expect(rule).toHaveValue('later');
  await page.goto('/admin/activity');
  await expect(page.getByText('Configurações do escritório alteradas').first()).toBeVisible();
});

/** The office's color on light grounds, as the interface has it. */
function tokenColor(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      /#[0-9a-f]{6}/.exec(getComputedStyle(document.documentElement).getPropertyValue('--primary'))?.[0] ??
      '',
  );
}
