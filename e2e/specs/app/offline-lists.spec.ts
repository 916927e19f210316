// The lists that a client reads without a network, and what the browser keeps for it.

import { expect, type Page } from '@playwright/test';

import { openSession, submitClientSignIn, test, type TestApp } from '../../fixtures/test.ts';
import { type Person, serviceClient } from '../../helpers/api.ts';
import { storedText } from '../../helpers/browser-storage.ts';
import { dayFromNow } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { addStaffReply, addTicket } from '../../helpers/tickets.ts';

test.use({ serviceWorkers: 'allow' });

const PAYMENT_LINE = '846700000017435900240209024050002435842210108119';
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
const NOTICE = 'Sem conexão com a internet.';

test('offline lists › what was seen is read after a cold start, with its time', async ({
  context,
  page,
  app,
}) => {
  const person = await app.newClient('Abigail Torquato');
  const id = await seedLists(app, person);
  await seeLists(page, person);
  // The access token has expired, as some hours later.
  await page.evaluate(() => {
    const session: { expires_at: number } = JSON.parse(localStorage.getItem('portaria-auth') ?? '{}');
    session.expires_at = 1;
    localStorage.setItem('portaria-auth', JSON.stringify(session));
  });
  await page.goto('about:blank');
  await context.setOffline(true);

  await page.goto('/');
  await expect(page.getByRole('link', { name: 'Guia de novembro' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Dúvida sobre férias' })).toBeVisible();
  await expect(page.getByText(NOTICE)).toContainText(/Dados de \d\d:\d\d\.$/);
  await page.goto('/documents');
  await expect(page.getByRole('link', { name: /Contratos/ })).toContainText('1 documento');
  await page.getByRole('link', { name: /Faturas/ }).click();
  await expect(page.getByRole('link', { name: /Guia de novembro/ })).toBeVisible();
  await page.goto('/calendar');
  await expect(page.getByRole('link', { name: 'Guia de novembro' }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Mês anterior' }).click();
  await expect(page.getByText('Sem conexão, os vencimentos deste mês não aparecem.')).toBeVisible();
  await page.goto('/tickets');
  await expect(page.getByRole('article')).toContainText('Dúvida sobre férias');
  // Lists that were not seen, and files, are not there.
  for (const path of ['/documents/contratos', `/documents/view/${id}`]) {
    await page.goto(path);
    await expect(page.getByText('Não disponível sem conexão')).toBeVisible();
    await expect(page.getByText('Contrato de locação')).toBeHidden();
  }
  await expect(page.getByText('Erro de Conexão')).toBeHidden();

  await context.setOffline(false);
  await expect(page.getByRole('heading', { level: 1, name: 'Guia de novembro' })).toBeVisible();
  await expect(page.getByText(NOTICE)).toBeHidden();
});

test('offline lists › no payment code, message, path of a file or token is stored', async ({ page, app }) => {
  const person = await app.newClient('Belmiro Saldanha');
  const id = await seedLists(app, person);
  await seeLists(page, person);
  await page.goto(`/documents/view/${id}`);
  await expect(page.getByRole('button', { name: 'Copiar Pix' })).toBeVisible();
  await page.goto('/tickets');
  await page.getByRole('link', { name: 'Ver detalhes' }).click();
  await expect(page.getByRole('log')).toContainText('Pode tirar em março.');
  for (const path of ['/solicitacoes', '/pagamentos', '/perfil']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
  }
  const stored = await storedText(page);
  const tokens = await page.evaluate(() => {
    const session: Record<string, string> = JSON.parse(localStorage.getItem('portaria-auth') ?? '{}');
    return [session['access_token'] ?? '', session['refresh_token'] ?? ''];
  });
  expect(stored).toContain('Guia de novembro');
  expect(stored).toContain('Dúvida sobre férias');
  for (const secret of [
    PAYMENT_LINE,
    PIX,
    'br.gov.bcb.pix',
    'Quando posso sair?',
    'Pode tirar em março.',
    `public/${person.id}`,
    ...tokens,
  ]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(stored).not.toContain(secret);
  }
});

test('offline lists › are deleted at the sign-out, also while another tab is open', async ({ page, app }) => {
  const person = await app.newClient('Cacilda Moreira');
  await seedLists(app, person);
  await seeLists(page, person);
  const other = await page.context().newPage();
  await other.goto('/documents');
  await expect(other.getByRole('link', { name: /Faturas/ })).toBeVisible();
  await page.getByRole('button', { name: /Menu da conta/ }).click();
  await page.getByRole('button', { name: 'Sair' }).click();
  await expect(page).toHaveURL('/login');
  await expect(other).toHaveURL('/login');
  await expect.poll(() => storedText(page)).not.toContain('Guia de novembro');
  // A store that the other tab had planned would follow within seconds.
  await other.reload();
  await other.waitForLoadState('networkidle');
  const stored = await storedText(page);
  expect(stored).not.toContain('Guia de novembro');
  expect(stored).not.toContain(person.id);
});

test('offline lists › are deleted when the server ends the session', async ({ page, app }) => {
  const person = await app.newClient('Dirceu Aragão');
  await seedLists(app, person);
  await seeLists(page, person);
  const { error } = await serviceClient(app.portaria).auth.admin.updateUserById(person.id, {
    ban_duration: '1h',
  });
  expect(error).toBeNull();
  await page.getByRole('navigation').getByRole('link', { name: 'Calendário' }).click();
  await expect(page).toHaveURL('/login');
  await expect.poll(() => storedText(page)).not.toContain('Guia de novembro');
});

test('offline lists › another person at the browser does not see them', async ({ context, page, app }) => {
  const [first, second] = [await app.newClient('Edite Nogueira'), await app.newClient('Firmino Sales')];
  await seedLists(app, first);
  await seeLists(page, first);
  // Without a sign-out: the second session replaces the first one while no page is open.
  await openSession(page, second);
  await context.setOffline(true);
  await page.goto('/documents');
  await expect(page.getByText('Não disponível sem conexão')).toBeVisible();
  await expect(page.getByText('Faturas')).toBeHidden();
  expect(await storedText(page)).not.toContain('Guia de novembro');
});

test('offline lists › the area of the staff stores nothing', async ({ page, app }) => {
  const person = await app.newClient('Gaspar Moura');
  await seedLists(app, person);
  await openSession(page);
  for (const path of ['/admin/dashboard', '/admin/documents', '/admin/tickets']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
  }
  expect(await storedText(page)).not.toMatch(/Gaspar Moura|Guia de novembro|Dúvida sobre férias/);
});

/** Documents with codes, and a ticket with a reply. Returns the id of the document to pay. */
async function seedLists(app: TestApp, person: Person): Promise<string> {
  const expires = `${dayFromNow(2)}T15:00:00Z`;
  const slip = { name: 'Guia de novembro', expires, paymentLine: PAYMENT_LINE, pixCode: PIX };
  const id = await seedDocument(app, person, slip);
  await seedDocument(app, person, { name: 'Contrato de locação', folder: 'contratos' });
  const subject = 'Dúvida sobre férias';
  const ticket = await addTicket(app.portaria, person, { subject, message: 'Quando posso sair?' });
  await addStaffReply(app.admin, ticket, 'Pode tirar em março.');
  return id;
}

/** Opens the lists, until the browser has stored them and the app itself. */
async function seeLists(page: Page, person: Person): Promise<void> {
  await submitClientSignIn(page, person);
  await page.evaluate(() => navigator.serviceWorker.ready);
  for (const [path, key] of [
    ['/', '"soon"'],
    ['/documents', '"with-counts"'],
    ['/documents/faturas', '"folder"'],
    ['/calendar', '"between"'],
    ['/tickets', '"list"'],
  ] as const) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    await expect.poll(async () => (await storedText(page)).replaceAll('\\"', '"')).toContain(key);
  }
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}
