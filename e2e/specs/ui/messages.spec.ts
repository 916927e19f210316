// Messages: toasts, alerts, empty and error states, spinners.

import { expect, type Page } from '@playwright/test';

import { piece, test } from '../../fixtures/gallery.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';

const show = (page: Page, name: string) =>
  piece(page, 'toaster').getByRole('button', { name, exact: true }).click();
const toast = (page: Page, title: string) => page.locator('[data-slot=toast]', { hasText: title });
const top = async (page: Page, title: string) => (await toast(page, title).boundingBox())?.y ?? 0;
/** The live regions of the toaster, which are outside the sections. */
const live = (page: Page, politeness: string) => page.locator(`#root [aria-live=${politeness}]`);

test('toaster › announces each toast in a live region that is there before it', async ({ page }) => {
  await expect(live(page, 'polite')).toHaveText('');
  await expect(live(page, 'assertive')).toHaveText('');
  await show(page, 'Mostrar aviso');
  await expect(live(page, 'polite')).toHaveText('Alterações salvas');
  await show(page, 'Mostrar erro');
  await expect(live(page, 'assertive')).toContainText('Erro ao enviar');
  await expect(live(page, 'polite')).toHaveText('');
});

test('toaster › keeps undo buttons, the newest lowest, and an error below them', async ({ page }) => {
  await show(page, 'Mostrar aviso com botão');
  await show(page, 'Mostrar aviso com botão');
  await show(page, 'Mostrar erro');
  await expect(page.locator('[data-slot=toast]')).toHaveCount(3);
  expect(await top(page, 'Documento 2')).toBeGreaterThan(await top(page, 'Documento 1'));
  expect(await top(page, 'Erro ao enviar')).toBeGreaterThan(await top(page, 'Documento 2'));
  await expectAccessibleInBothThemes(page, { include: '[data-slot=toast]' });
  await toast(page, 'Documento 1').getByRole('button', { name: 'Desfazer' }).click();
  await expect(toast(page, 'Documento 1')).toHaveCount(0);
  await expect(toast(page, 'Documento restaurado')).toBeVisible();
});

test('toaster › on a phone an error is at the top, and clicks pass through it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await show(page, 'Mostrar aviso com botão');
  await show(page, 'Mostrar erro');
  expect(await top(page, 'Erro ao enviar')).toBeLessThan(200);
  expect(await top(page, 'Documento 1')).toBeGreaterThan(600);
  const box = await toast(page, 'Erro ao enviar').boundingBox();
  const covered = await page.evaluate(
    ([x, y]) => document.elementFromPoint(x, y)?.closest('[data-slot=toast]') === null,
    [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20] as const,
  );
  expect(covered).toBe(true);
  await toast(page, 'Erro ao enviar').getByRole('button', { name: 'Dispensar aviso' }).click();
  await expect(toast(page, 'Erro ao enviar')).toHaveCount(0);
});

test('alert › only a danger interrupts a screen reader', async ({ page }) => {
  const section = piece(page, 'alert');
  await expect(section.getByRole('alert')).toContainText('O arquivo não foi enviado.');
  await expect(section.getByRole('status')).toHaveText([/manutenção/, /A senha foi alterada/]);
});

test('error state › is announced, and its button tries again', async ({ page }) => {
  const section = piece(page, 'error-state');
  const state = section.getByRole('alert').first();
  await expect(state).toContainText('Não foi possível carregar os dados do servidor.');
  await state.getByRole('button', { name: 'Tentar novamente' }).press('Enter');
  await expect(section.getByText('Tentativas: 1')).toBeVisible();
});

test('empty state › is a heading only as the whole page', async ({ page }) => {
  const section = piece(page, 'empty-state');
  await expect(section.getByRole('heading', { level: 1 })).toHaveText('Documento não encontrado');
  await expect(section.getByText('Nenhum cliente encontrado')).toBeVisible();
  await expect(section.getByRole('button', { name: 'Cadastrar cliente' })).toBeVisible();
});

test('skeletons and spinners › are announced once, and only where they stand alone', async ({ page }) => {
  await expect(piece(page, 'skeleton').getByRole('status')).toHaveText(['Carregando…']);
  await expect(piece(page, 'spinner').getByRole('status')).toHaveText(['Carregando…']);
});

test('e-mail text › breaks before the at sign', async ({ page }) => {
  const [name, domain] = await piece(page, 'email-text')
    .getByText('financeiro.matriz')
    .evaluate((element) => {
      const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      return texts.map((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect().top;
      });
    });
  expect(domain).toBeGreaterThan(name ?? Infinity);
});
