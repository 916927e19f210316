// The user guide within the app.

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('help › a client finds a page, follows its links and does not see the pages of staff', async ({
  page,
  app,
}) => {
  await openSession(page, await app.newClient('Nair Ajuda'));
  await page.goto('/');
  await page.getByRole('button', { name: 'Menu da conta' }).click();
  await page.getByRole('link', { name: 'Ajuda' }).click();
  await expect(heading(page, 'Ajuda')).toBeVisible();
  await expect(page).toHaveURL('/ajuda');
  await expect(page.getByRole('link', { name: /Configurar o escritório/ })).toBeHidden();
  await expectAccessibleInBothThemes(page);

  // Words of a section, not of a title.
  await page.getByPlaceholder('Buscar na ajuda').fill('ticket ja preenchido');
  await expect(page.getByText('abre um ticket já preenchido')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.getByRole('link', { name: 'A guia venceu' }).click();
  await expect(heading(page, 'Pagar uma guia')).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'A guia venceu' })).toBeInViewport();
  await expectAccessibleInBothThemes(page);
  await page
    .getByRole('navigation', { name: 'Nesta página' })
    .getByRole('link', { name: 'Avisar que pagou' })
    .click();
  await expect(page).toHaveURL('/ajuda/pagar-uma-guia#avisar-que-pagou');

  await page.getByRole('link', { name: 'Voltar para Ajuda' }).click();
  await page.getByRole('link', { name: /Primeiros passos/ }).click();
  await page.getByRole('article').getByRole('link', { name: 'os vencimentos' }).click();
  await expect(heading(page, 'Acompanhar os vencimentos')).toBeVisible();
  await page.getByRole('link', { name: /Próxima página/ }).click();
  await expect(heading(page, 'Pagar uma guia')).toBeVisible();

  await page.goto('/ajuda/configurar-o-escritorio');
  await expect(heading(page, 'Página não encontrada')).toBeVisible();
  await page.getByRole('link', { name: 'Voltar para Ajuda' }).click();
  await page.getByPlaceholder('Buscar na ajuda').fill('xyz');
  await expect(page.getByText('Nenhuma página encontrada')).toBeVisible();
});

test('help › a guest signs in first, and returns to the page', async ({ page, app }) => {
  const { email, password } = await app.newClient('Nair Visita');
  await page.goto('/ajuda/falar-com-o-escritorio');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(heading(page, 'Falar com o escritório')).toBeVisible();
});

test('help › staff read all pages, from the menu, the palette and the screens', async ({ page }) => {
  await signInAsAdmin(page);
  const navigation = page.getByRole('complementary');
  await navigation.getByRole('link', { name: 'Ajuda' }).click();
  await expect(page).toHaveURL('/admin/ajuda');
  await expect(page.getByRole('link', { name: /^Pagar uma guia/ })).toBeVisible();
  await page.goto('/ajuda/trabalhar-nas-listas');
  await expect(page).toHaveURL('/admin/ajuda/trabalhar-nas-listas');
  await expect(page.getByRole('cell', { name: 'abrir a linha' })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('pedir uma resposta');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Pedir uma resposta a um documento')).toBeVisible();

  for (const [path, title] of [
    ['/admin/documents/bulk', 'Publicar pela caixa de entrada'],
    ['/admin/unopened', 'Lembrar de documentos não abertos'],
    ['/admin/solicitacoes', 'Pedir documentos aos clientes'],
    ['/admin/settings', 'Configurar o escritório'],
    ['/admin/administrators', 'Equipe e papéis'],
    ['/admin/documents/trash', 'Lixeira e versões de documentos'],
    ['/admin/email-templates', 'Textos dos e-mails'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('link', { name: 'Como funciona?' }).click();
    await expect(heading(page, title)).toBeVisible();
  }
});
