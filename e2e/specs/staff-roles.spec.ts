// Roles of the staff: a colleague's first day with assigned clients, and a colleague who only reads.

import { expect } from '@playwright/test';

import { ADMIN } from '../fixtures/server.ts';
import { signInAsAdmin, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { createPerson, signIn } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { findMail } from '../helpers/mail-links.ts';
import { addTicket } from '../helpers/tickets.ts';

const PASSWORD = 'só eu conheço esta';
const BAKERY = 'Padaria e Confeitaria Nossa Senhora da Conceição Aparecida Ltda';

test("colleague's first day › sees and serves the assigned clients only", async ({ page, app, browser }) => {
  const bakery = await createPerson(app.portaria, app.admin, BAKERY, 'contato@padaria-papeis.com.br');
  const clinic = await createPerson(
    app.portaria,
    app.admin,
    'Clínica Papéis',
    'contato@clinica-papeis.com.br',
  );
  await seedDocument(app, bakery, { name: 'DAS da padaria papéis.pdf', folder: 'faturas' });
  await seedDocument(app, clinic, { name: 'DAS da clínica papéis.pdf', folder: 'faturas' });
  const ticket = await addTicket(app.portaria, bakery, { subject: 'Guia da padaria' });
  await addTicket(app.portaria, clinic, { subject: 'Guia da clínica' });

  // The office invites Carla and assigns the bakery.
  await signInAsAdmin(page);
  await page.goto('/admin/administrators');
  await page.getByRole('button', { name: 'Convidar colega' }).click();
  const invitation = page.getByRole('dialog', { name: 'Convidar colega' });
  await invitation.getByLabel('Nome Completo').fill('Carla Menezes');
  await invitation.getByLabel('Email').fill('carla@escritorio-papeis.com.br');
  await expect(invitation.getByLabel('Papel')).toHaveValue('employee');
  await invitation.getByLabel('Só os clientes atribuídos').check();
  await expectAccessibleInBothThemes(page);
  await invitation.getByRole('button', { name: 'Enviar convite' }).click();
  await expect(page.getByText('Colega convidado')).toBeVisible();
  const row = page.getByRole('row').filter({ hasText: 'Carla Menezes' });
  await expect(row).toContainText('FuncionárioClientes atribuídos');
  await row.getByRole('button', { name: 'Papel e clientes de Carla Menezes' }).click();
  const rights = page.getByRole('dialog', { name: 'Papel e clientes' });
  await rights.getByLabel('Atribuir clientes').fill('papéis');
  await expect(page.getByRole('option')).toHaveCount(1);
  await rights.getByLabel('Atribuir clientes').fill('padaria e conf');
  await page.getByRole('option', { name: BAKERY }).click();
  await expect(rights.getByText('1 cliente atribuído')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await rights.getByRole('button', { name: 'Fechar', exact: true }).click();

  // Carla chooses a password and works.
  const context = await browser.newContext({ baseURL: app.portaria.url });
  const carla = await context.newPage();
  await carla.goto((await findMail(app.portaria, 'invite', 'carla@escritorio-papeis.com.br')).link);
  await carla.getByLabel('Nova senha', { exact: true }).fill(PASSWORD);
  await carla.getByLabel('Confirmar nova senha', { exact: true }).fill(PASSWORD);
  await carla.getByRole('button', { name: 'Atualizar Senha' }).click();
  await expect(carla.getByText('Senha atualizada com sucesso!')).toBeVisible();
  await signInAsAdmin(carla, { email: 'carla@escritorio-papeis.com.br', password: PASSWORD });
  // This server sends no mail: its reason is for administrators.
  await expect(carla.getByText('Os e-mails não estão saindo agora.')).toBeVisible();
  await expect(carla.getByText('O envio de e-mails não está configurado')).toBeHidden();
  const navigation = carla.getByRole('navigation', { name: 'Administração' });
  await expect(navigation.getByRole('link')).toHaveText([
    'Dashboard',
    'Clientes',
    'Documentos',
    'Não abertos',
    'Tickets',
    'Solicitações',
  ]);
  await navigation.getByRole('link', { name: 'Clientes' }).click();
  await expect(carla.getByRole('link', { name: BAKERY })).toBeVisible();
  await expect(carla.getByText('Clínica Papéis')).toHaveCount(0);
  await expect(carla.getByRole('link', { name: 'Novo Cliente' })).toHaveCount(0);
  await carla.getByRole('link', { name: BAKERY }).click();
  await expect(carla.getByRole('heading', { name: BAKERY, level: 1 })).toBeVisible();
  const team = carla.getByRole('list', { name: 'Equipe do escritório' });
  await expect(team.getByText('Carla Menezes')).toBeVisible();
  await expect(carla.getByRole('link', { name: 'Novo Documento' })).toBeVisible();
  await expect(carla.getByRole('button', { name: 'Excluir' })).toHaveCount(0);
  await carla.goto('/admin/documents');
  await expect(carla.getByText('DAS da padaria papéis.pdf')).toBeVisible();
  await expect(carla.getByText('DAS da clínica papéis.pdf')).toHaveCount(0);
  await carla.goto(`/admin/tickets/${ticket}`);
  await carla.getByLabel('Sua resposta').fill('Bom dia! Segue a guia.');
  await carla.getByRole('button', { name: 'Enviar resposta' }).click();
  await expect(carla.getByText('Bom dia! Segue a guia.').first()).toBeVisible();
  for (const closed of [
    '/admin/settings',
    '/admin/system',
    '/admin/administrators',
    '/admin/clients/new',
    '/admin/activity',
  ]) {
    await carla.goto(closed);
    await expect(carla).toHaveURL(/\/admin\/dashboard$/);
  }
  await expectAccessibleInBothThemes(carla);

  // Another colleague takes over.
  await page.goto(`/admin/clients/view/${bakery.id}`);
  const staff = page.getByRole('list', { name: 'Equipe do escritório' });
  await page.getByLabel('Atribuir a').selectOption({ label: ADMIN.email });
  await expect(staff.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: `Ações de ${ADMIN.email}` }).click();
  await page.getByRole('menuitem', { name: 'Tornar responsável' }).click();
  await expect(staff.getByRole('listitem').first()).toHaveText(`${ADMIN.email}Responsável`);
  await page.getByRole('button', { name: 'Ações de Carla Menezes' }).click();
  await page.getByRole('menuitem', { name: 'Remover da equipe' }).click();
  await expect(staff.getByRole('listitem')).toHaveCount(1);
  await carla.goto('/admin/clients');
  await expect(carla.getByText('Os clientes que você atende aparecem aqui.')).toBeVisible();
  await carla
    .getByRole('navigation', { name: 'Administração' })
    .getByRole('link', { name: 'Dashboard' })
    .click();
  await expect(carla.getByText('Você ainda não atende clientes.')).toBeVisible();
  await context.close();
});

test('reader › sees everything and is offered no change', async ({ page, app, browser }) => {
  const person = await app.newClient('Rui Leitor');
  const seeded = await createPerson(
    app.portaria,
    app.admin,
    'Oficina Leitura',
    'contato@oficina-leitura.com.br',
  );
  const document = await seedDocument(app, seeded, { name: 'Contrato para ler.pdf', folder: 'contratos' });
  await signInAsAdmin(page);
  await page.goto('/admin/administrators');
  await page.getByRole('button', { name: 'Adicionar Administrador' }).click();
  await page.getByRole('dialog').getByLabel('Conta').fill('rui leitor');
  await page.getByRole('option', { name: /Rui Leitor/ }).click();
  await page.getByRole('button', { name: 'Tornar administrador' }).click();
  // A canceled choice is gone when the dialog is opened again.
  for (const end of ['Cancelar', 'Salvar papel']) {
    await page.getByRole('button', { name: 'Papel e clientes de Rui Leitor' }).click();
    await expect(page.getByRole('dialog').getByLabel('Papel')).toHaveValue('administrator');
    await page.getByRole('dialog').getByLabel('Papel').selectOption({ label: 'Somente leitura' });
    await page.getByRole('dialog').getByRole('button', { name: end }).click();
  }
  await expect(page.getByText('Papel mudado')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'Rui Leitor' })).toContainText('Somente leitura');

  const context = await browser.newContext({ baseURL: app.portaria.url });
  const rui = await context.newPage();
  await signInAsAdmin(rui, person);
  await rui.goto(`/admin/documents/view/${document}`);
  await expect(rui.getByRole('heading', { name: 'Contrato para ler.pdf', level: 1 })).toBeVisible();
  await expect(rui.getByRole('button', { name: 'Excluir' })).toHaveCount(0);
  for (const path of ['/admin/documents', '/admin/requests', '/admin/tickets']) {
    await rui.goto(path);
    await expect(rui.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(rui.getByRole('link', { name: /^Nov[oa] / })).toHaveCount(0);
  }
  await rui.goto('/admin/documents/upload');
  await expect(rui).toHaveURL(/\/admin\/dashboard$/);
  const reader = await signIn(app.portaria, person);
  const refused = await reader.from('documents').update({ name: 'Outro' }).eq('id', document);
  expect(refused.error?.code).toBe('42501');
  await context.close();
});
