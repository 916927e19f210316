// The clients' home page: counters, documents that expire within seven days, and the three latest tickets.

import { expect } from '@playwright/test';

import { signInAsClient, test } from '../fixtures/test.ts';
import { unwrap, expectOk, serviceClient, signIn } from '../helpers/api.ts';
import { dayFromNow, saoPauloTime, setClock } from '../helpers/clock.ts';
import { seedDocument } from '../helpers/documents.ts';

const LINE = '84670000001-7 43590024020-9 02405000243-5 84221010811-9';

test('home page › an empty portal links to a new ticket', async ({ page, app }) => {
  await signInAsClient(page, await app.newClient('Abílio Nunes'));
  await expect(page.getByRole('heading', { level: 1, name: 'Boas-vindas, Abílio' })).toBeVisible();
  await expect(page.getByText('Tudo em dia: nada vencido e nada à sua espera.')).toBeVisible();
  await expect(page.getByText('Nenhum vencimento próximo')).toBeVisible();
  await expect(page.getByText('Nenhum ticket encontrado')).toBeVisible();
  await page.getByRole('link', { name: 'Criar ticket' }).last().click();
  await expect(page).toHaveURL('/tickets/new');
});

test('home page › cards show the counts and link to their sections', async ({ page, app }) => {
  const person = await app.newClient('Bertolina Lima');
  const client = await signIn(app.portaria, person);
  for (const subject of ['Primeiro', 'Segundo', 'Terceiro', 'Quarto']) {
    await unwrap(
      client.from('tickets').insert({ subject, message: 'Uma mensagem longa o bastante.' }).select(),
    );
  }
  const tickets = serviceClient(app.portaria).from('tickets');
  await expectOk(
    tickets.update({ status: 'in-progress' }).eq('subject', 'Terceiro').eq('user_id', person.id),
  );
  await expectOk(
    serviceClient(app.portaria)
      .from('tickets')
      .update({ status: 'closed' })
      .eq('subject', 'Quarto')
      .eq('user_id', person.id),
  );
  await seedDocument(app, person, { name: 'Contrato social', folder: 'contratos' });
  await seedDocument(app, person, { name: 'Boleto' });

  await signInAsClient(page, person);
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: /Tickets Abertos/ })).toContainText('2');
  await expect(main.getByRole('link', { name: /^Documentos/ })).toContainText('2');
  const today = new Date().toLocaleDateString('pt-BR', {
    day: '2-digit',
    month: 'long',
    year: 'numeric',
    timeZone: 'America/Sao_Paulo',
  });
  await expect(main.getByRole('link', { name: /Hoje/ })).toContainText(today);

  const latest = page.locator('section', { has: page.getByRole('heading', { name: 'Últimos Tickets' }) });
  await expect(latest.getByRole('link')).toHaveText([
    /Quarto.*Fechado/,
    /Terceiro.*Em andamento/,
    /Segundo.*Aberto/,
  ]);

  for (const [name, path] of [
    [/Tickets Abertos/, '/tickets'],
    [/^Documentos/, '/documents'],
    [/Hoje/, '/calendar'],
    ['Criar ticket', '/tickets/new'],
    ['Ver documentos', '/documents'],
    ['Ver calendário', '/calendar'],
  ] as const) {
    await page.goto('/');
    await main.getByRole('link', { name, exact: typeof name === 'string' }).click();
    await expect(page).toHaveURL(path);
  }
});

test('home page › says what is open, and lists what is overdue until it is settled', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Dalva Moura');
  const expires = new Date(Date.now() - 48 * 60 * 60 * 1000).toISOString();
  await seedDocument(app, person, { name: 'Guia vencida', expires });
  const opened = await seedDocument(app, person, { name: 'Aviso lido', expires });
  const client = await signIn(app.portaria, person);
  await expectOk(client.from('document_receipts').insert({ document_id: opened, action: 'opened' }));
  await signInAsClient(page, person);
  await expect(page.getByText('1 vencido', { exact: true })).toBeVisible();
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Vencidos' }) });
  await expect(panel.getByRole('link')).toHaveText([/Guia vencida.*Vencido em/]);
});

test('home page › says until when to pay what is due on a weekend', async ({ page, app }) => {
  const person = await app.newClient('Dulce Feriado');
  const weekday = new Date(`${dayFromNow(0)}T12:00:00Z`).getUTCDay();
  const saturday = dayFromNow(weekday === 6 ? 7 : 6 - weekday);
  for (const [name, category] of [
    ['FGTS de sábado', 'fgts'],
    ['DAS de sábado', 'das'],
  ] as const) {
    const id = await seedDocument(app, person, { name, expires: `${saturday}T12:00:00Z`, paymentLine: LINE });
    await expectOk(app.admin.from('documents').update({ category }).eq('id', id));
  }
  const row = (panel: string, name: string) =>
    page
      .locator('section', { has: page.getByRole('heading', { name: panel }) })
      .getByRole('listitem')
      .filter({ hasText: name });
  await setClock(page, new Date(saoPauloTime(saturday, '08:00').getTime() - 24 * 60 * 60 * 1000));
  await signInAsClient(page, person);
  await expect(row('Vencimentos Próximos', 'FGTS de sábado')).toContainText(
    / é (sábado|feriado .*)\. O prazo antecipa: pague até /,
  );
  // On Saturday evening the slip that moves to Monday is overdue by its date, and still paid in time.
  await page.clock.fastForward('34:00:00');
  await page.reload();
  await expect(row('Vencidos', 'DAS de sábado')).toContainText('O prazo prorroga: pague até ');
  await expect(row('Vencidos', 'FGTS de sábado')).not.toContainText('O prazo');
});

test('home page › lists documents that expire within seven days, to the second', async ({ page, app }) => {
  const person = await app.newClient('Celina Prado');
  const now = new Date();
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  const week = 7 * 24 * 60 * 60;
  await seedDocument(app, person, { name: 'Já venceu', expires: after(-1) });
  await seedDocument(app, person, { name: 'Depois da semana', expires: after(week + 3600) });
  await seedDocument(app, person, { name: 'No fim da semana', expires: after(week - 3600) });
  const soon = await seedDocument(app, person, { name: 'Daqui a pouco', expires: after(3600) });
  await seedDocument(app, person, { name: 'Sem vencimento' });

  await setClock(page, now);
  await signInAsClient(page, person);
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Vencimentos Próximos' }) });
  await expect(panel.getByRole('link')).toHaveText([/Daqui a pouco.*Vence em/, /No fim da semana.*Vence em/]);

  // Two hours later the first document has expired and the last one has entered the seven days, without a new
  // request.
  await page.clock.fastForward('02:00:00');
  await expect(panel.getByRole('link')).toHaveText([/No fim da semana/, /Depois da semana/]);
  await page.goto(`/documents/view/${soon}`);
  await expect(page.getByText('(Vencido)')).toBeVisible();
});
