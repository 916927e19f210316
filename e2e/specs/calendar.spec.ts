// The calendar of due dates.

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsClient, test } from '../fixtures/test.ts';
import { expectOk } from '../helpers/api.ts';
import { dayFromNow, saoPauloTime, setClock, formatDay } from '../helpers/clock.ts';
import { seedDocument } from '../helpers/documents.ts';

const NONE_ON_DAY = 'Nenhum vencimento para esta data';

test('calendar › shows that it is empty', async ({ page, app }) => {
  await openSession(page, await app.newClient('Otávio Leal'));
  await page.goto('/calendar');
  await expect(page.getByRole('heading', { level: 1, name: 'Calendário de Vencimentos' })).toBeVisible();
  await expect(page.getByText(NONE_ON_DAY)).toBeVisible();
  await expect(page.getByText('Nenhum vencimento próximo')).toBeVisible();
});

test('calendar › weeks begin on Sunday, and buttons change the month and return to today', async ({
  page,
  app,
}) => {
  await openSession(page, await app.newClient('Petra Salles'));
  await page.goto('/calendar?data=2026-02-10');
  const grid = page.getByRole('grid', { name: 'Fevereiro de 2026' });
  await expect(grid.getByRole('columnheader', { includeHidden: true })).toHaveText([
    'Dom',
    'Seg',
    'Ter',
    'Qua',
    'Qui',
    'Sex',
    'Sáb',
  ]);
  // Days of the neighboring months fill the grid and are disabled.
  await expect(grid.getByRole('button', { disabled: true })).not.toHaveCount(0);
  await expect(grid.getByRole('button', { disabled: false })).toHaveCount(28);
  await expect(page.getByRole('heading', { name: 'Vencimentos em 10/02/2026' })).toBeVisible();

  await page.getByRole('button', { name: 'Mês anterior' }).click();
  await expect(page.getByRole('grid', { name: 'Janeiro de 2026' })).toBeVisible();
  await page.getByRole('button', { name: 'Próximo mês' }).click();
  await page.getByRole('button', { name: 'Próximo mês' }).click();
  await expect(page.getByRole('grid', { name: 'Março de 2026' })).toBeVisible();
  await page.getByRole('button', { name: '20 de março de 2026' }).click();
  await expect(page).toHaveURL('/calendar?data=2026-03-20');
  await expect(page.getByRole('heading', { name: 'Vencimentos em 20/03/2026' })).toBeVisible();

  await page.getByRole('button', { name: 'Hoje' }).click();
  await expect(
    page.getByRole('heading', { name: `Vencimentos em ${formatDay(dayFromNow(0))}` }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /, hoje/ })).toBeVisible();
  await page.goto('/calendar?data=2026-02-31');
  await expect(
    page.getByRole('heading', { name: `Vencimentos em ${formatDay(dayFromNow(0))}` }),
  ).toBeVisible();
});

test('calendar › is operated by keyboard', async ({ page, app }) => {
  await openSession(page, await app.newClient('Quirino Melo'));
  await page.goto('/calendar?data=2026-02-10');
  await page.getByRole('button', { name: '10 de fevereiro de 2026' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/calendar?data=2026-02-18');
  await page.keyboard.press('PageDown');
  await expect(page.getByRole('grid', { name: 'Março de 2026' })).toBeVisible();
});

test('calendar › labels past, present and future days, and lists the next five due dates', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Rute Xavier');
  const late = await seedDocument(app, person, { name: 'Guia -1', expires: dayFromNow(-1) });
  for (const days of [0, 1, 2, 3, 4, 5, 40]) {
    await seedDocument(app, person, { name: `Guia ${days}`, expires: dayFromNow(days) });
  }
  await signInAsClient(page, person);
  for (const [offset, label] of [
    [-1, 'Vencido'],
    [0, 'Vence hoje'],
    [1, `Vence em ${formatDay(dayFromNow(1))}`],
  ] as const) {
    await page.goto(`/calendar?data=${dayFromNow(offset)}`);
    const panel = dayPanel(page, dayFromNow(offset));
    await expect(panel.getByRole('link')).toHaveText([`Guia ${offset}${label}`]);
  }
  const next = page.locator('section', { has: page.getByRole('heading', { name: 'Próximos Vencimentos' }) });
  await expect(next.getByRole('link')).toHaveText([/Guia 0/, /Guia 1/, /Guia 2/, /Guia 3/, /Guia 4/]);

  await expectOk(app.admin.from('document_payments').insert({ document_id: late, paid_on: dayFromNow(-1) }));
  await page.goto(`/calendar?data=${dayFromNow(-1)}`);
  await expect(dayPanel(page, dayFromNow(-1)).getByRole('link')).toHaveText(['Guia -1Pago']);
  await expect(page.locator('.is-overdue')).toHaveCount(0);
});

test('calendar › an open page updates at midnight in São Paulo', async ({ page, app }) => {
  const person = await app.newClient('Saulo Vieira');
  const today = dayFromNow(0);
  await seedDocument(app, person, { name: 'Guia do dia', expires: today });
  await seedDocument(app, person, { name: 'Guia de amanhã', expires: dayFromNow(1) });
  await setClock(page, saoPauloTime(today, '23:59:00'));
  await openSession(page, person);
  await page.goto('/calendar');
  await expect(page.getByRole('button', { name: /, hoje, 1 vencimento$/ })).toHaveAttribute(
    'data-count',
    '1',
  );
  await expect(dayPanel(page, today).getByRole('link')).toHaveText(['Guia do diaVence hoje']);

  await page.clock.fastForward('02:00');
  await expect(dayPanel(page, dayFromNow(1)).getByRole('link')).toHaveText(['Guia de amanhãVence hoje']);
  await page.goto(`/calendar?data=${today}`);
  await expect(dayPanel(page, today).getByRole('link')).toHaveText(['Guia do diaVencido']);
});

test('calendar › times near midnight belong to their day in São Paulo', async ({ page, app }) => {
  const person = await app.newClient('Tânia Bastos');
  await seedDocument(app, person, { name: 'Último minuto', expires: '2026-03-20T23:59:00-03:00' });
  await seedDocument(app, person, { name: 'Primeiro minuto', expires: '2026-03-21T00:01:00-03:00' });
  await signInAsClient(page, person);
  for (const [day, name] of [
    ['2026-03-20', 'Último minuto'],
    ['2026-03-21', 'Primeiro minuto'],
  ] as const) {
    await page.goto(`/calendar?data=${day}`);
    await expect(dayPanel(page, day).getByRole('link')).toHaveText([new RegExp(name)]);
  }
});

function dayPanel(page: Page, day: string) {
  const heading = page.getByRole('heading', { name: `Vencimentos em ${formatDay(day)}` });
  return page.locator('section', { has: heading });
}
