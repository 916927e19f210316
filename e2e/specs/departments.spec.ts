// Departments of the office, by which lists are filtered.

import { expect } from '@playwright/test';

import { signInAsAdmin, test, type TestApp } from '../fixtures/test.ts';
import { adminClient, expectOk, unwrap } from '../helpers/api.ts';
import { seedDocument } from '../helpers/documents.ts';
import { addTicket } from '../helpers/tickets.ts';

/** Adds a colleague to a department. Returns the id. */
async function addColleague(app: TestApp, name: string, department: string): Promise<string> {
  const office = await adminClient(app.portaria, app.admin);
  const { user } = await unwrap(
    office.auth.admin.createUser({
      email: `${name.toLowerCase()}@escritorio-departamentos.com.br`,
      password: 'uma senha de colega',
      email_confirm: true,
      user_metadata: { full_name: name },
      app_metadata: { roles: ['admin'], office_role: 'employee', department },
    }),
  );
  return user.id;
}

test('departments › select the tickets and unopened documents of their people', async ({ page, app }) => {
  const [dora, ciro] = [
    await addColleague(app, 'Dora', 'Fiscal'),
    await addColleague(app, 'Ciro', 'Pessoal'),
  ];
  const client = await app.newClient('Marcenaria dos Setores');
  for (const [colleague, about] of [
    [dora, 'imposto'],
    [ciro, 'folha'],
  ] as const) {
    const document = await seedDocument(app, client, { name: `Guia de ${about}` });
    await expectOk(app.admin.from('documents').update({ responsible_id: colleague }).eq('id', document));
    const ticket = await addTicket(app.portaria, client, { subject: `Pergunta sobre ${about}` });
    await expectOk(app.admin.from('tickets').update({ assignee_id: colleague }).eq('id', ticket));
  }
  await signInAsAdmin(page);

  await page.goto('/admin/unopened');
  await expect(page.getByText('Guia de folha')).toBeVisible();
  await page.getByLabel('Responsável').selectOption('Departamento Fiscal');
  await expect(page.getByText('Guia de folha')).toBeHidden();
  await expect(page.getByText('Guia de imposto')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Selecionar o documento' })).toBeVisible();
  await page.reload();
  await expect(page.getByText('Guia de imposto')).toBeVisible();
  await expect(page.getByText('Guia de folha')).toBeHidden();

  await page.goto('/admin/tickets');
  await expect(page.getByText('Pergunta sobre imposto')).toBeVisible();
  await page.getByLabel('Responsável').selectOption('Departamento Pessoal');
  await expect(page.getByText('Pergunta sobre imposto')).toBeHidden();
  await expect(page.getByText('Pergunta sobre folha')).toBeVisible();
});

test('departments › select the clients that their people care for', async ({ page, app }) => {
  const [fiscal, staff] = [
    await addColleague(app, 'Telma', 'Fiscal'),
    await addColleague(app, 'Paulo', 'Pessoal'),
  ];
  const [both, one, none] = [
    await app.newClient('Olaria de Dois Quadros'),
    await app.newClient('Tecelagem de Um Quadro'),
    await app.newClient('Relojoaria Avulsa'),
  ];
  await expectOk(
    app.admin.from('client_assignments').insert([
      { client_id: both.id, staff_id: staff, is_responsible: true },
      { client_id: both.id, staff_id: fiscal, is_responsible: false },
      { client_id: one.id, staff_id: staff, is_responsible: true },
    ]),
  );
  await signInAsAdmin(page);
  await page.goto('/admin/clients?busca=Quadro');
  const names = page.getByRole('table', { name: 'Clientes' }).getByRole('link', { name: /^(?!Editar)/ });
  await expect(names).toHaveCount(2);
  const team = page.getByLabel('Equipe');

  await team.selectOption('Departamento Fiscal');
  await expect(names).toHaveText([both.name]);
  await expect(page).toHaveURL('/admin/clients?busca=Quadro&equipe=departamento%3AFiscal');
  await page.reload();
  await expect(names).toHaveText([both.name]);
  await expect(page.getByText('Equipe: Departamento Fiscal')).toBeVisible();
  await team.selectOption('Paulo');
  await expect(names).toHaveCount(2);
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await expect(page).toHaveURL('/admin/clients');
  await team.selectOption('Ninguém');
  await expect(names.filter({ hasText: none.name })).toBeVisible();
  await expect(names.filter({ hasText: one.name })).toBeHidden();
});
