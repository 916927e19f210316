// Forms of a client without a network: they say that nothing can be sent, and keep what was written.

import { expect, type Page } from '@playwright/test';

import { submitClientSignIn, test } from '../../fixtures/test.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { pdfFile } from '../../helpers/upload.ts';

test.use({ serviceWorkers: 'allow' });

const REASON = 'Sem conexão com o servidor. Verifique sua internet e tente novamente.';

/** Waits until the service worker answers for the pages that are opened next. */
async function waitForShell(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}

test('offline forms › files are kept, and sent when the connection is back', async ({
  context,
  page,
  app,
}) => {
  await submitClientSignIn(page, await app.newClient('Heloísa Varejão'));
  await page.goto('/enviar');
  const pdf = await pdfWithText('Recibo');
  await page
    .getByLabel('Arquivos a enviar', { exact: true })
    .setInputFiles(Array.from({ length: 21 }, (_, at) => pdfFile(`recibo${at}.pdf`, pdf)));
  await expect(page.getByText('Envie até 20 arquivos de cada vez.')).toBeVisible();
  await page.getByLabel('Recado').fill('Recibo do aluguel');
  await context.setOffline(true);
  const send = page.getByRole('button', { name: 'Enviar', exact: true });
  await expect(send).toBeDisabled();
  await expect(page.getByText('Precisa de conexão')).toBeVisible();

  await context.setOffline(false);
  await expect(page.getByText('Precisa de conexão')).toBeHidden();
  await expect(page.getByRole('list', { name: 'Arquivos a enviar' })).toContainText('recibo19.pdf');
  await send.click();
  await expect(page.getByText('20 arquivos enviados')).toBeVisible();
  await expect(page.getByText('Envie até 20 arquivos de cada vez.')).toBeHidden();
  await expect(page.getByRole('list', { name: 'Enviados' })).toContainText(
    /recibo\d+\.pdf.*Recibo do aluguel/s,
  );
});

test('offline forms › the profile names the reason of each failure and keeps the fields', async ({
  context,
  page,
  app,
}) => {
  await submitClientSignIn(page, await app.newClient('Iolanda Peçanha'));
  await page.goto('/perfil');
  const mail = page.getByRole('checkbox', { name: 'Vencimentos' });
  await expect(mail).toBeChecked();
  const name = page.getByLabel('Nome completo');
  await name.fill('Iolanda Peçanha Lima');
  await page.getByLabel('Nova senha', { exact: true }).fill('uma senha bem nova');
  await page.getByLabel('Confirmar nova senha').fill('uma senha bem nova');
  await context.setOffline(true);
  const reason = page.getByText(REASON);

  await page.getByRole('button', { name: 'Salvar nome' }).click();
  await expect(reason).toBeVisible();
  await expect(name).toHaveValue('Iolanda Peçanha Lima');
  await page.getByRole('button', { name: 'Dispensar aviso' }).click();

  await mail.click();
  await expect(reason).toBeVisible();
  await expect(mail).toBeChecked();
  await page.getByRole('button', { name: 'Dispensar aviso' }).click();

  await page.getByRole('button', { name: 'Alterar senha' }).click();
  await expect(reason).toBeVisible();
  await expect(page.getByLabel('Nova senha', { exact: true })).toHaveValue('uma senha bem nova');

  await context.setOffline(false);
  await page.getByRole('button', { name: 'Salvar nome' }).click();
  await expect(page.getByText('Nome atualizado')).toBeVisible();
});

test('offline forms › people open without a network, and an invitation waits for it', async ({
  context,
  page,
  app,
}) => {
  await submitClientSignIn(page, await app.newClient('Jurema Castilho'));
  await waitForShell(page);
  await context.setOffline(true);
  await page.goto('/pessoas');
  await expect(page.getByRole('heading', { level: 1, name: 'Pessoas' })).toBeVisible();
  await expect(page.getByText('Não disponível sem conexão')).toBeVisible();

  await context.setOffline(false);
  const invite = page.getByRole('button', { name: 'Convidar pessoa' });
  await invite.click();
  const dialog = page.getByRole('dialog', { name: 'Convidar pessoa' });
  await dialog.getByLabel('Nome Completo').fill('Kátia Castilho');
  await dialog.getByLabel('Email').fill('katia@castilho-offline.com.br');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Erro ao convidar')).toBeVisible();
  await expect(page.getByText(REASON)).toBeVisible();
  await expect(dialog.getByLabel('Nome Completo')).toHaveValue('Kátia Castilho');

  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Pessoa convidada')).toBeVisible();
  await context.setOffline(true);
  await expect(invite).toBeDisabled();
  await expect(page.getByText('Precisa de conexão')).toBeVisible();
});
