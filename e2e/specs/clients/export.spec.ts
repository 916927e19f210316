// The export of clients as a CSV file.

import { readFile } from 'node:fs/promises';

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { clientSearch } from '../../helpers/clients.ts';

test.describe('client export', () => {
  test('neutralizes formulas for spreadsheets', async ({ page, app }) => {
    await app.newClient('=1+1 Fórmula');
    await openSession(page);
    await page.goto('/admin/clients');
    await clientSearch(page).fill('fórmula');
    await expect(page.getByRole('row', { name: 'Fórmula' })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Exportar' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^clientes-\d{4}-\d{2}-\d{2}\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    const [head, row, ...rest] = text.split('\r\n');
    expect(head).toBe('\uFEFF"Nome";"Email";"Último acesso";"Pendências";"CPF ou CNPJ";"Cadastro"');
    expect(row).toMatch(/^"'=1\+1 Fórmula";"[^"]+";"Ainda não entrou";"";"";"\d{2}\/\d{2}\/\d{4}"$/);
    expect(rest).toEqual(['']);
  });

  test('contains all pages of the search', async ({ page, app }) => {
    const numbers = Array.from({ length: 1001 }, (_, index) => index);
    const { url, serviceRoleKey } = app.portaria;
    const headers = { apikey: serviceRoleKey, 'Content-Type': 'application/json' };
    // Invitations have no password to hash, which makes them fast.
    const invite = async (index: number) => {
      const body = JSON.stringify({
        email: `m${index}@muitos.com.br`,
        data: { full_name: `Muitos ${index}` },
      });
      const response = await fetch(`${url}/auth/v1/invite`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
    };
    for (let index = 0; index < numbers.length; index += 10) {
      await Promise.all(numbers.slice(index, index + 10).map(invite));
    }
    await openSession(page);
    await page.goto('/admin/clients');
    await clientSearch(page).fill('muitos');
    await expect(page.getByRole('row', { name: 'Muitos 1000' })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Exportar' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const emails = [...text.matchAll(/"(m\d+@muitos\.com\.br)"/g)].map(([, email]) => email);
    expect(new Set(emails).size).toBe(numbers.length);
    expect(emails).toHaveLength(numbers.length);
  });
});
