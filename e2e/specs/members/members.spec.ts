// Several people per client, and several clients per person.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { createPerson, unwrap } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { findMail } from '../../helpers/mail-links.ts';
import { addMember } from '../../helpers/members.ts';
import { samplePdf } from '../../helpers/pdf.ts';
import { pdfFile } from '../../helpers/upload.ts';

const PASSWORD = 'só eu conheço esta';
const COMPANY = 'Oficina Mecânica Rodrigues & Filhos Comércio de Peças Ltda';

const actsFor = (page: Page, name: string) => page.getByRole('button', { name: `Cliente: ${name}. Trocar` });

test('owner of two companies › switches, sends for each, and invites an employee', async ({
  page,
  app,
  browser,
}) => {
  const bakery = await createPerson(app.portaria, app.admin, 'Padaria Duas Empresas', 'rosa@padaria2.com.br');
  const garage = await createPerson(app.portaria, app.admin, COMPANY, 'contato@oficina.com.br');
  await seedDocument(app, bakery, { name: 'DAS da padaria.pdf', folder: 'faturas' });
  const invoice = await seedDocument(app, garage, { name: 'DAS da oficina.pdf', folder: 'faturas' });
  const request = { client_id: garage.id, name: 'Extrato', month: '2026-11' };
  const [item] = await unwrap(app.admin.from('request_items').insert([request]).select('id'));

  // The office lets the bakery's owner act for the garage.
  await signInAsAdmin(page);
  await page.goto(`/admin/clients/view/${garage.id}`);
  await page.getByRole('button', { name: 'Convidar pessoa' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(dialog.getByText('Nome completo é obrigatório.')).toBeVisible();
  await dialog.getByLabel('Nome Completo').fill('Dona Rosa');
  await dialog.getByLabel('Email').fill('joão@padaria.com.br');
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(dialog.getByText('Use só letras sem acento antes do @ do e-mail.')).toBeVisible();
  await dialog.getByLabel('Email').fill(bakery.email);
  await dialog.getByLabel('Papel').selectOption({ label: 'Responsável' });
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Pessoa convidada')).toBeVisible();
  const people = page.getByRole('list', { name: 'Pessoas' });
  await expect(people.getByRole('listitem')).toHaveCount(2);
  await expect(people.getByText('Conta do cliente')).toBeVisible();
  // A second invitation of the same person is explained at the field.
  await page.getByRole('button', { name: 'Convidar pessoa' }).click();
  await dialog.getByLabel('Nome Completo').fill('Dona Rosa');
  await dialog.getByLabel('Email').fill(bakery.email);
  await dialog.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(dialog.getByText('Esta pessoa já acompanha este cliente.')).toBeVisible();
  expect((await findMail(app.portaria, 'member_added', bakery.email)).link).toContain('/login');

  // A link to a request or a document of the other company leads there.
  const context = await browser.newContext({ baseURL: app.portaria.url });
  const owner = await context.newPage();
  await signInAsClient(owner, bakery);
  const switcher = owner.getByRole('button', { name: 'Cliente: Padaria Duas Empresas. Trocar' });
  await expect(switcher).toBeVisible();
  await owner.goto(`/solicitacoes?pedido=${item?.id}`);
  await expect(owner.getByText(`Esta solicitação é de ${COMPANY}`)).toBeVisible();
  await owner.goto(`/documents/view/${invoice}`);
  await expect(owner.getByText('Documento não encontrado')).toBeVisible();
  await owner.getByRole('button', { name: `Abrir como ${COMPANY}` }).click();
  await expect(owner.getByRole('heading', { name: 'DAS da oficina.pdf', level: 1 })).toBeVisible();
  await owner.goto('/documents/faturas');
  await expect(owner.getByText('DAS da oficina.pdf')).toBeVisible();
  await expect(owner.getByText('DAS da padaria.pdf')).toBeHidden();

  // A file that the owner sends belongs to the garage.
  await owner.goto('/enviar');
  await owner
    .locator('input[type="file"]')
    .first()
    .setInputFiles(pdfFile('recibo.pdf', await samplePdf()));
  await owner.getByRole('button', { name: /^Enviar/ }).click();
  await expect(owner.getByText('recibo.pdf').first()).toBeVisible();

  // A ticket that is written for the garage waits for it.
  await owner.goto('/tickets/new');
  const subject = owner.getByLabel('Assunto');
  await subject.fill('Elevador da oficina');

  // The owner invites an employee, who sees the garage alone and cannot invite.
  await owner.getByRole('button', { name: /Menu da conta/ }).click();
  await owner.getByRole('link', { name: 'Pessoas' }).click();
  await expect(owner.getByRole('heading', { name: 'Pessoas', level: 1 })).toBeVisible();
  await expectAccessibleInBothThemes(owner);
  await owner.getByRole('button', { name: 'Convidar pessoa' }).click();
  await owner.getByRole('dialog').getByLabel('Nome Completo').fill('Beto Auxiliar');
  await owner.getByRole('dialog').getByLabel('Email').fill('beto@oficina.com.br');
  await owner.getByRole('dialog').getByRole('button', { name: 'Enviar convite' }).click();
  await expect(owner.getByText('Beto Auxiliar')).toBeVisible();
  // The office sees that the invitation waits.
  await page.reload();
  const invited = people.getByRole('listitem').filter({ hasText: 'Beto Auxiliar' });
  await expect(invited.getByText(/^Convidado em .*\. O convite vale até /)).toBeVisible();
  const phone = await browser.newContext({
    baseURL: app.portaria.url,
    viewport: { width: 390, height: 844 },
  });
  const employee = await phone.newPage();
  await employee.goto((await findMail(app.portaria, 'invite', 'beto@oficina.com.br')).link);
  await employee.getByLabel('Nova senha', { exact: true }).fill(PASSWORD);
  await employee.getByLabel('Confirmar nova senha', { exact: true }).fill(PASSWORD);
  await employee.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(employee.getByText('Senha atualizada com sucesso!')).toBeVisible();
  await signInAsClient(employee, { email: 'beto@oficina.com.br', password: PASSWORD });
  await employee.goto('/documents/faturas');
  await expect(employee.getByText('DAS da oficina.pdf')).toBeVisible();
  await employee.goto('/pessoas');
  await expect(employee.getByRole('list', { name: 'Pessoas' }).getByText('Beto Auxiliar')).toBeVisible();
  await expect(employee.getByRole('button', { name: 'Convidar pessoa' })).toBeHidden();
  await expectAccessibleInBothThemes(employee);

  // The owner limits the employee to a folder, which counts at once.
  await owner.getByRole('button', { name: 'Ações de Beto Auxiliar' }).click();
  await owner.getByRole('menuitem', { name: 'Escolher pastas' }).click();
  const limit = owner.getByRole('dialog', { name: 'Pastas de Beto Auxiliar' });
  await limit.getByRole('combobox').selectOption({ label: 'Escolher…' });
  await limit.getByRole('button', { name: 'Salvar' }).click();
  await expect(limit.getByText('Escolha pelo menos uma pasta.')).toBeVisible();
  await limit.getByLabel('Contratos').check();
  await limit.getByRole('button', { name: 'Salvar' }).click();
  await expect(owner.getByText('Só as pastas: Contratos')).toBeVisible();
  await employee.goto('/documents');
  const folders = employee.getByRole('main');
  await expect(folders.getByRole('link', { name: /Contratos/ })).toBeVisible();
  await expect(folders.getByRole('link', { name: /Faturas/ })).toBeHidden();
  await employee.goto(`/documents/view/${invoice}`);
  await expect(employee.getByText('Documento não encontrado')).toBeVisible();

  // Back at the bakery, nothing of the garage is left.
  await owner.getByRole('button', { name: `Cliente: ${COMPANY}. Trocar` }).click();
  await owner.getByRole('menuitemradio', { name: 'Padaria Duas Empresas' }).click();
  await expect(switcher).toBeVisible();
  await owner.goto('/documents/faturas');
  await expect(owner.getByText('DAS da padaria.pdf')).toBeVisible();
  await expect(owner.getByText('DAS da oficina.pdf')).toBeHidden();
  await owner.goto('/tickets/new');
  await expect(subject).toHaveValue('');
  await switcher.click();
  await owner.getByRole('menuitemradio', { name: COMPANY }).click();
  await expect(owner.getByRole('button', { name: `Cliente: ${COMPANY}. Trocar` })).toBeVisible();
  await owner.goto('/tickets/new');
  await expect(subject).toHaveValue('Elevador da oficina');

  // The office removes the employee, whose session ends with the account.
  await page.reload();
  await expect(invited).toBeVisible();
  await expect(invited.getByText(/^Convidado em /)).toBeHidden();
  await page.getByRole('button', { name: 'Ações de Beto Auxiliar' }).click();
  await page.getByRole('menuitem', { name: 'Remover' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover' }).click();
  await expect(page.getByText('Pessoa removida')).toBeVisible();
  await employee.goto('/documents/faturas');
  await expect(employee.getByRole('button', { name: 'Entrar' })).toBeVisible();
  await context.close();
  await phone.close();
});

test('two tabs › a tab that missed a switch follows it before anything is sent', async ({
  page,
  app,
  context,
}) => {
  const [own, other] = [await app.newClient('Padaria da Noêmia'), await app.newClient('Oficina da Noêmia')];
  await addMember(app, other, own);
  await signInAsClient(page, own);
  const tab = await context.newPage();
  // As a tab that the browser suspended.
  await tab.addInitScript(() => {
    BroadcastChannel.prototype.addEventListener = () => {};
  });
  await tab.goto('/tickets/new');
  await tab.getByLabel('Assunto').fill('Para a padaria');
  await expect(actsFor(tab, own.name)).toBeVisible();
  await actsFor(page, own.name).click();
  await page.getByRole('menuitemradio', { name: other.name }).click();
  await expect(actsFor(page, other.name)).toBeVisible();
  await expect(tab.getByLabel('Assunto')).toHaveValue('Para a padaria');
  // The person returns to the tab.
  await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect(actsFor(tab, other.name)).toBeVisible();
  await expect(tab).toHaveURL('/');
  await tab.goto('/tickets/new');
  await expect(tab.getByLabel('Assunto')).toHaveValue('');

  // A ticket that was written for one client is not sent for another.
  await tab.getByLabel('Assunto').fill('Segredo da oficina');
  await tab.getByLabel('Mensagem').fill('Só para quem cuida da oficina.');
  await actsFor(page, other.name).click();
  await page.getByRole('menuitemradio', { name: own.name }).click();
  await expect(actsFor(page, own.name)).toBeVisible();
  await tab.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(actsFor(tab, own.name)).toBeVisible();
  const sent = app.admin.from('tickets').select('id').eq('subject', 'Segredo da oficina');
  expect(await unwrap(sent)).toEqual([]);
});
