// The notification center: counts, the list, and what opening a record marks as read.

import { expect, type Page } from '@playwright/test';

import { openSession, test, type TestApp } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { expectOk, signIn, unwrap } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addStaffReply } from '../helpers/tickets.ts';

const bell = (page: Page) => page.getByRole('button', { name: /^Notificações/ });
const center = (page: Page) => page.getByRole('dialog', { name: 'Notificações' });

/** A client's ticket, opened by the client. */
async function openTicket(app: TestApp, person: Parameters<typeof seedDocument>[1], subject: string) {
  const api = await signIn(app.portaria, person);
  const ticket = { subject, message: 'Uma mensagem longa o bastante.' };
  return (await unwrap(api.from('tickets').insert(ticket).select('id').single())).id;
}

test('notifications › a client sees a document and a reply, opens both, and nothing is left', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Padaria Aurora');
  await seedDocument(app, person, { name: 'Guia do DAS de outubro' });
  const ticket = await openTicket(app, person, 'Dúvida sobre o DAS');
  await addStaffReply(app.admin, ticket, 'A guia vence no dia 20.');
  await addStaffReply(app.admin, ticket, 'Já está em Documentos.');
  await openSession(page, person);
  await page.goto('/');
  await expect(bell(page)).toHaveAccessibleName('Notificações: 2 não lidas');

  await bell(page).click();
  const items = center(page).getByRole('listitem');
  await expect(items).toHaveText([
    /Não lida: Resposta do escritório.*Dúvida sobre o DAS/,
    /Não lida: Novo documento.*Guia do DAS de outubro/,
  ]);
  await expectAccessibleInBothThemes(page);
  await items.nth(1).getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Guia do DAS de outubro' })).toBeVisible();
  await expect(center(page)).toBeHidden();
  await expect(bell(page)).toHaveAccessibleName('Notificações: 1 não lida');

  await page.goto('/tickets');
  const card = page.getByRole('article').filter({ hasText: 'Dúvida sobre o DAS' });
  await expect(card.getByText('Escritório: Já está em Documentos.')).toBeVisible();
  await expect(card.getByText('Não lido')).toBeVisible();
  await bell(page).click();
  await items.nth(0).getByRole('link').click();
  await expect(page.getByText('Já está em Documentos.')).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName('Notificações');
  // A reply to the ticket on the screen is read when it arrives.
  await addStaffReply(app.admin, ticket, 'Mais alguma dúvida?');
  await page.reload();
  await expect(page.getByText('Mais alguma dúvida?')).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName('Notificações');
  const api = await signIn(app.portaria, person);
  const unread = async () =>
    (await unwrap(api.from('notifications').select('id').is('read_at', null))).length;
  await expect.poll(unread).toBe(0);
});

test('notifications › the office marks all as read, and a new ticket leads to its page', async ({
  page,
  app,
}) => {
  const readAll = app.admin.from('notifications').update({ read_at: new Date().toISOString() });
  await expectOk(readAll.is('read_at', null));
  const person = await app.newClient('Construtora Notificação & Irmãos Ltda');
  await openTicket(app, person, 'Contrato social');
  await openTicket(app, person, 'Certidão negativa');
  await openSession(page);
  await page.goto('/admin/settings');
  await expect(bell(page)).toHaveAccessibleName('Notificações: 2 não lidas');
  await bell(page).click();
  const newest = center(page).getByRole('link').first();
  await expect(newest).toHaveText(
    /Não lida: Novo ticket.*Construtora Notificação & Irmãos Ltda · Certidão negativa/,
  );
  await expectAccessibleInBothThemes(page);
  await center(page).getByRole('button', { name: 'Marcar todas como lidas' }).click();
  await expect(bell(page)).toHaveAccessibleName('Notificações');
  await expect(center(page).getByRole('button', { name: 'Marcar todas como lidas' })).toBeHidden();
  await expect(newest).toHaveText(/^Novo ticket/);
  await newest.click();
  await expect(page.getByRole('heading', { name: 'Certidão negativa' })).toBeVisible();
});

test('notifications › on a phone the list is a sheet, and says when there is nothing', async ({
  page,
  app,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const person = await app.newClient('Sem Novidades');
  await openSession(page, person);
  await page.goto('/');
  await bell(page).click();
  await expect(center(page).getByText('Nenhuma notificação')).toBeVisible();
  const box = await center(page).boundingBox();
  expect(box).toMatchObject({ x: 0, width: 390 });
  expect(box && box.y + box.height).toBe(844);
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');
  await expect(center(page)).toBeHidden();
  await expect(bell(page)).toBeFocused();
});

test('notifications › a member of the staff chooses mails, and a new ticket is mailed at once', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Transportes Aviso Ltda');
  await openSession(page);
  await page.goto('/admin/dashboard');
  await bell(page).click();
  await center(page).getByRole('link', { name: 'Receber por e-mail' }).click();
  const card = page.locator('section', { hasText: 'Meus avisos por e-mail' });
  await expect(card.getByLabel('Tickets novos')).toHaveValue('none');
  await expectAccessibleInBothThemes(page);
  await card.getByLabel('Tickets novos').selectOption('Na hora');
  await expect(page.getByText('Tickets novos: Na hora')).toBeVisible();
  await card.getByLabel('Respostas a documentos').selectOption('Resumo diário');
  await expect(page.getByText('Respostas a documentos: Resumo diário')).toBeVisible();
  await page.reload();
  await expect(card.getByLabel('Tickets novos')).toHaveValue('at_once');
  await expect(card.getByLabel('Mensagens de clientes')).toHaveValue('none');
  await expect(card.getByLabel('Respostas a documentos')).toHaveValue('daily');

  await openTicket(app, person, 'Frete de novembro');
  await page.goto('/admin/email-log');
  await expect(page.getByText('Novo ticket: Frete de novembro')).toBeVisible();
  await page.goto('/admin/security');
  await card.getByLabel('Tickets novos').selectOption('Não receber');
  await expect(page.getByText('Tickets novos: Não receber')).toBeVisible();
});
