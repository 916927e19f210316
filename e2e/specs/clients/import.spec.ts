// The import of clients from a CSV file.

import { expect } from '@playwright/test';

import { ADMIN } from '../../fixtures/server.ts';
import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { clientSearch } from '../../helpers/clients.ts';

test.describe('client import', () => {
  test('checks each line before it imports', async ({ page, app }) => {
    const { email } = await app.newClient('Já Cadastrada');
    const table = [
      'Nome;E-mail;CPF/CNPJ;Senha',
      'Importada Júlia;JULIA@importada.com.br;65.432.198/0001-28;',
      '"Silva; Irmãos";silva@importada.com.br;;senha dos Silva',
      'Sem Arroba;semarroba;;',
      'Repetida;julia@importada.com.br;;',
      `Conhecida;${email};;`,
    ].join('\r\n');
    await openSession(page);
    await page.goto('/admin/clients');
    await page.getByRole('link', { name: 'Importar' }).click();
    // Windows-1252, as older spreadsheets save it.
    await page
      .getByLabel('Arquivo CSV')
      .setInputFiles({ name: 'clientes.csv', mimeType: 'text/csv', buffer: Buffer.from(table, 'latin1') });
    await expect(page.getByText('2 clientes prontos para importar, 3 linhas com erro.')).toBeVisible();
    const wrong = page.getByRole('region', { name: 'Linhas com erro' }).getByRole('listitem');
    await expect(wrong).toContainText([
      /Linha 4.*Email inválido\./s,
      /Linha 5.*Email repetido: já está na linha 2\./s,
      /Linha 6.*Já existe um cliente com este email\./s,
    ]);
    await page.getByRole('button', { name: 'Importar 2 clientes' }).click();
    await expect(page.getByText('2 clientes importados.')).toBeVisible();
    await expect(page.getByText('1 convite está na fila de e-mails.')).toBeVisible();
    await page.getByRole('link', { name: 'Ver clientes' }).click();
    await clientSearch(page).fill('importada');
    await expect(page.getByRole('row', { name: 'Importada Júlia' })).toContainText('julia@importada.com.br');
    await expect(page.getByRole('row', { name: 'Silva; Irmãos' })).toBeVisible();
    const mails = await app.portaria.mails();
    const sentMails = mails.filter(({ recipient }) => recipient.endsWith('@importada.com.br'));
    expect(Object.fromEntries(sentMails.map(({ recipient, event }) => [recipient, event]))).toEqual({
      'julia@importada.com.br': 'invite',
      'silva@importada.com.br': 'welcome',
    });
  });

  test('announces the mails and refuses weak passwords before it imports', async ({ page, app }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/import');
    const rows = [
      'nome;email;senha',
      'Com Senha;com@avisada.com.br;uma senha boa',
      'Sem Senha;sem@avisada.com.br;',
      'Usada Demais;usada@avisada.com.br;MinhaSenha',
      'Curta;curta@avisada.com.br;😀😀😀',
    ];
    await page.getByLabel('Arquivo CSV').setInputFiles({
      name: 'clientes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(rows.join('\n')),
    });
    await expect(page.getByText('2 clientes prontos para importar, 2 linhas com erro.')).toBeVisible();
    await expect(
      page.getByText('1 cliente com senha recebe um e-mail de boas-vindas, sem a senha'),
    ).toBeVisible();
    await expect(page.getByText('1 cliente sem senha recebe um convite por e-mail')).toBeVisible();
    const wrong = page.getByRole('region', { name: 'Linhas com erro' }).getByRole('listitem');
    await expect(wrong).toContainText([
      /Linha 4.*Esta senha está entre as mais usadas/s,
      /Linha 5.*Senha deve ter no mínimo 6 caracteres\./s,
    ]);
    expect((await app.portaria.mails()).filter(({ recipient }) => /avisada/.test(recipient))).toEqual([]);
    await page.getByRole('button', { name: 'Importar 2 clientes' }).click();
    await expect(page.getByText('2 clientes importados.')).toBeVisible();
    const mails = (await app.portaria.mails()).filter(({ recipient }) => /avisada/.test(recipient));
    expect(mails.map(({ event }) => event).toSorted()).toEqual(['invite', 'welcome']);
  });

  test('reports refused lines and imports the rest', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/clients/import');
    // The page does not know administrators' addresses, so only the server refuses this line.
    const rows = ['parte0@x.com.br', ADMIN.email, 'parte2@x.com.br'].map(
      (email, index) => `Parte ${index},${email},uma senha boa`,
    );
    await page.getByLabel('Arquivo CSV').setInputFiles({
      name: 'clientes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['nome,email,senha', ...rows].join('\n')),
    });
    await page.getByRole('button', { name: 'Importar 3 clientes' }).click();
    await expect(page.getByText('2 clientes importados, 1 linha recusada.')).toBeVisible();
    const refused = page.getByRole('region', { name: 'Linhas recusadas' }).getByRole('listitem');
    await expect(refused).toContainText(['Linha 3']);
    await expect(refused).toContainText([ADMIN.email]);
    await expect(refused).toContainText(['Já existe uma conta com este e-mail.']);
  });

  test('after a lost connection continues with the lines not yet imported', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/clients/import');
    const rows = ['rede0@x.com.br', ADMIN.email, 'rede2@x.com.br', 'rede3@x.com.br'].map(
      (email, index) => `Rede ${index},${email},uma senha boa`,
    );
    await page.getByLabel('Arquivo CSV').setInputFiles({
      name: 'clientes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['nome,email,senha', ...rows].join('\n')),
    });
    await page.route('**/auth/v1/admin/users', (route) =>
      /rede[23]/.test(route.request().postData() ?? '') ? route.abort('connectionreset') : route.continue(),
    );
    await page.getByRole('button', { name: 'Importar 4 clientes' }).click();
    await expect(
      page.getByText('1 cliente importado, 1 linha recusada, 2 linhas não enviadas.'),
    ).toBeVisible();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Continuar com 2 linhas' }).click();
    await expect(page.getByText('3 clientes importados, 1 linha recusada.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Linhas recusadas' })).toContainText(ADMIN.email);
  });

  test('rejects a file without a header row', async ({ page }) => {
    await openSession(page);
    await page.goto('/admin/clients/import');
    await page
      .getByLabel('Arquivo CSV')
      .setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('a;b\n1;2') });
    await expect(page.getByText('A primeira linha precisa dar nome às colunas').first()).toBeVisible();
  });
});
