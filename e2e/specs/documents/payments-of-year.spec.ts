// A year of payments of a client.

import { expect, type Page } from '@playwright/test';

import { openSession, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import { expectOk, unwrap, type Person } from '../../helpers/api.ts';
import { dayFromNow } from '../../helpers/clock.ts';

const YEAR = Number(dayFromNow(0).slice(0, 4));

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });

async function seedAmounts(app: TestApp, owner: Person, amounts: readonly Amount[]): Promise<string[]> {
  const rows = amounts.map(({ name, category, cents, due }) => ({
    client_id: owner.id,
    folder_id_supabase: 'faturas',
    name,
    type: 'pdf',
    status: 'active',
    category,
    amount_cents: cents,
    expires_at: due,
  }));
  return (await unwrap(app.admin.from('documents').insert(rows).select('id'))).map(({ id }) => id);
}

type Amount = { name: string; category: string | null; cents: number; due: string };

test('payments › a year without amounts says so, and leads to other years', async ({ page, app }) => {
  await openSession(page, await app.newClient('Zélia Vazia'));
  await page.goto('/documents');
  await page.getByRole('link', { name: 'Meus pagamentos' }).click();
  await expect(page.getByText(`Nenhum pagamento em ${YEAR}`)).toBeVisible();
  await page.getByRole('button', { name: 'Ano anterior' }).click();
  await expect(page).toHaveURL(`/pagamentos?ano=${YEAR - 1}`);
  await expect(page.getByText(`Nenhum pagamento em ${YEAR - 1}`)).toBeVisible();
});

test('payments › sums by month and category are in the chart and in a table', async ({ page, app }) => {
  const person = await app.newClient('Páris Contas');
  const [, , paid] = await seedAmounts(app, person, [
    { name: 'DAS de janeiro', category: 'das', cents: 123_456, due: `${YEAR}-01-20` },
    { name: 'Boleto de janeiro', category: 'boleto', cents: 5_000, due: `${YEAR}-01-25` },
    { name: 'DAS de fevereiro', category: 'das', cents: 100_000, due: `${YEAR}-02-20` },
    { name: 'DAS do ano passado', category: 'das', cents: 777, due: `${YEAR - 1}-12-20` },
  ]);
  await expectOk(
    app.admin.from('document_payments').insert({ document_id: paid ?? '', paid_on: `${YEAR}-02-19` }),
  );
  await openSession(page, person);
  await page.goto('/pagamentos');
  await expect(heading(page, '3 documentos')).toBeVisible();
  await expect(page.getByText('R$ 2.284,56')).toBeVisible();
  await expect(page.getByText('R$ 1.284,56')).toBeVisible();
  await expect(page.getByRole('img', { name: `Valores por mês de ${YEAR}` })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await page.getByText('Ver os números em uma tabela').press('Enter');
  const table = page.getByRole('region', { name: 'Valores por mês' });
  await expect(table.getByRole('columnheader')).toHaveText(['Mês', 'DAS', 'Boleto', 'Total', 'Pago']);
  await expect(table.getByRole('row', { name: /^jan/ }).getByRole('cell')).toHaveText([
    '1.234,56',
    '50,00',
    '1.284,56',
    '0,00',
  ]);
  await expect(table.getByRole('row', { name: /^fev/ }).getByRole('cell').last()).toHaveText('1.000,00');

  await expect(page.getByRole('link', { name: /DAS de fevereiro/ })).toContainText(`Pago em 19/02/${YEAR}`);
  await page.getByRole('link', { name: /Boleto de janeiro/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Boleto de janeiro' })).toBeVisible();
});
