// The office's clients: found, made, invited, shown, deleted, brought in and taken out as a table.

import { readFile } from 'node:fs/promises';

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

import { done, signIn } from '../office.ts';
import { ADMIN } from '../server.ts';
import { putDocument } from './documents.ts';
import { hold, signInAsAdmin, test } from './test.ts';

const search = (page: Page) => page.getByRole('searchbox', { name: 'Buscar por nome ou email...' });

test.describe('the list of clients', () => {
  test('is searched, accents aside, and sorted on the server', async ({ page, world }) => {
    const tag = 'Ordem';
    for (const name of ['Zélia', 'Álvaro', 'Bento']) await world.newClient(`${tag} ${name}`);
    await signInAsAdmin(page);
    await page.goto('/admin/clients');
    await search(page).fill('ordem alvaro');
    await expect(page.getByRole('row', { name: `${tag} Álvaro` })).toBeVisible();
    await expect(page.getByRole('row', { name: `${tag} Bento` })).toBeHidden();

    await search(page).fill(tag);
    const order = async () =>
      (await page.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split('\n')[0]?.split('\t')[0]);
    await page.getByLabel('Ordenar por').selectOption('Nome, de A a Z');
    await expect.poll(order).toEqual([`${tag} Álvaro`, `${tag} Bento`, `${tag} Zélia`]);
    await page.getByLabel('Ordenar por').selectOption('Nome, de Z a A');
    await expect.poll(order).toEqual([`${tag} Zélia`, `${tag} Bento`, `${tag} Álvaro`]);

    await search(page).fill('ninguém com este nome');
    await expect(page.getByText('Nenhum cliente encontrado')).toBeVisible();
    await expect(page.getByText('Tente ajustar sua busca.')).toBeVisible();
  });

  test('says what failed, and tries again', async ({ page, world }) => {
    await world.newClient('Nadir Falha');
    await signInAsAdmin(page);
    await world.portaria.without('clients', async () => {
      await page.goto('/admin/clients');
      await expect(page.getByText('Erro ao buscar clientes')).toBeVisible();
    });
    await page.getByRole('button', { name: 'Tentar novamente' }).click();
    await expect(page.getByRole('table', { name: 'Clientes' })).toBeVisible();
  });
});

test.describe('a new client', () => {
  test('is asked for by every rule of the form', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/new');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    for (const said of ['Nome completo é obrigatório.', 'Email é obrigatório.', 'Senha é obrigatória.']) {
      await expect(page.getByText(said)).toBeVisible();
    }
    await expect(page.getByText('Por favor, corrija os campos destacados.')).toBeVisible();
    await page.getByLabel('Nome Completo').fill('Rita');
    await expect(page.getByText('Nome completo é obrigatório.')).toBeHidden();
    await page.getByLabel('Email').fill('rita@x');
    await page.getByLabel('CPF ou CNPJ').fill('11.222.333/0001-82');
    await page.getByLabel('Senha', { exact: true }).fill('12345');
    await page.getByLabel('Confirmar Senha', { exact: true }).fill('54321');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    for (const said of [
      'Email inválido.',
      'CPF ou CNPJ inválido.',
      'Senha deve ter no mínimo 6 caracteres.',
      'As senhas não coincidem.',
    ]) {
      await expect(page.getByText(said)).toBeVisible();
    }
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Sair sem salvar?' })).toBeVisible();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page).toHaveURL('/admin/clients');
  });

  test('is invited by a mail that waits, and chooses their own password', async ({
    page,
    browser,
    world,
  }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/new');
    await page.getByLabel('Nome Completo').fill('Ivo Convidado');
    await page.getByLabel('Email').fill('ivo@convidado.com.br');
    await page.getByLabel('Convidar por e-mail em vez de definir a senha').check();
    await expect(page.getByText('o convite fica guardado na fila de e-mails')).toBeVisible();
    await expect(page.getByLabel('Senha', { exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    await expect(
      page.getByText('O convite para ivo@convidado.com.br está na fila de e-mails.'),
    ).toBeVisible();
    await expect(page.getByRole('row', { name: 'Ivo Convidado' })).toContainText('ivo@convidado.com.br');

    const mail = (await world.portaria.mails()).find(({ recipient }) => recipient === 'ivo@convidado.com.br');
    const link = /href="([^"]*atualizar-senha[^"]*)"/.exec(mail?.html ?? '')?.[1]?.replaceAll('&amp;', '&');
    const ivo = await browser.newPage();
    await ivo.goto(link ?? '');
    await ivo.getByLabel('Nova senha', { exact: true }).fill('a senha do Ivo');
    await ivo.getByLabel('Confirmar nova senha', { exact: true }).fill('a senha do Ivo');
    await ivo.getByRole('button', { name: 'Atualizar Senha' }).click();
    await expect(ivo.getByText('Senha atualizada com sucesso!').first()).toBeVisible();
    await ivo.close();
  });

  test('whose address is taken is refused in words', async ({ page, world }) => {
    const { email } = await world.newClient('Dona do Endereço');
    await signInAsAdmin(page);
    await page.goto('/admin/clients/new');
    await page.getByLabel('Nome Completo').fill('Outra');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Senha', { exact: true }).fill('uma senha boa');
    await page.getByLabel('Confirmar Senha', { exact: true }).fill('uma senha boa');
    await page.getByRole('button', { name: 'Criar Cliente' }).click();
    await expect(page.getByText('Erro ao salvar cliente')).toBeVisible();
    await expect(page.getByText('Já existe uma conta com este e-mail.')).toBeVisible();
    await expect(page).toHaveURL('/admin/clients/new');
  });
});

test('an existing client is changed, the password only where one is given', async ({ page, world }) => {
  const client = await world.newClient('Editada Elvira');
  await signInAsAdmin(page);
  await page.goto('/admin/clients');
  await search(page).fill('editada');
  await page.getByRole('link', { name: 'Editar Editada Elvira' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Editar Cliente' })).toBeVisible();
  await expect(page.getByLabel('Email')).toBeDisabled();
  await expect(page.getByLabel('Email')).toHaveValue(client.email);
  await expect(page.getByText('Alterar Senha (Opcional)')).toBeVisible();
  await page.getByLabel('Nome Completo').fill('');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Erro de Validação')).toBeVisible();
  await expect(page.getByText('Nome completo é obrigatório.')).toBeVisible();
  await page.getByLabel('Nome Completo').fill('Elvira Mudada');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Cliente atualizado com sucesso!')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
  await expect(page.getByRole('row', { name: 'Elvira Mudada' })).toBeVisible();
  const theirs = await signIn(world.portaria, client);

  // The form begins with what was saved, and a password alone changes nothing else.
  await page.getByRole('link', { name: 'Editar Elvira Mudada' }).click();
  await expect(page.getByLabel('Nome Completo')).toHaveValue('Elvira Mudada');
  await done(theirs.auth.updateUser({ data: { full_name: 'Elvira Nova' } }));
  await page.getByLabel('Senha', { exact: true }).fill('outra senha boa');
  await page.getByLabel('Confirmar Senha', { exact: true }).fill('outra senha boa');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page).toHaveURL('/admin/clients');
  const changed = await signIn(world.portaria, { ...client, password: 'outra senha boa' });
  expect((await changed.auth.getUser()).data.user?.user_metadata).toMatchObject({ full_name: 'Elvira Nova' });
  await expect(signIn(world.portaria, client)).rejects.toThrow('Invalid login credentials');

  await page.goto('/admin/clients/edit/nenhum');
  await expect(page.getByText('Erro ao carregar cliente')).toBeVisible();
  await expect(page).toHaveURL('/admin/clients');
});

test('a form that is left while it is being saved leads nowhere else', async ({ page, world }) => {
  const client = await world.newClient('Deixada Dora');
  await signInAsAdmin(page);
  await page.goto('/admin/clients');
  await search(page).fill(client.name);
  await page.getByRole('link', { name: `Editar ${client.name}` }).click();
  await page.getByLabel('Nome Completo').fill('Dora Mudada');
  const change = await hold(page, /\/auth\/v1\/admin\/users\//, 'PUT');
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await change.begun;
  await page.getByRole('link', { name: 'Pastas' }).click();
  await page.getByRole('button', { name: 'Sair sem salvar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pastas' })).toBeVisible();
  change.release();
  const told = page.getByText('Cliente atualizado com sucesso!');
  await expect(told).toBeVisible();
  await expect(told).toBeHidden();
  await expect(page).toHaveURL('/admin/folders');
});

test('a client that was changed and not saved is not left unasked', async ({ page, world }) => {
  const client = await world.newClient('Salva Antes');
  await signInAsAdmin(page);
  await page.goto('/admin/clients');
  await search(page).fill(client.name);
  await page.getByRole('link', { name: `Editar ${client.name}` }).click();
  await page.getByLabel('Nome Completo').fill('Salva Depois');
  // The dialog over the form has nothing unsaved of its own.
  await page.getByRole('button', { name: 'Alterar e-mail' }).click();
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Sair sem salvar?' });
  await expect(question).toContainText('O que foi preenchido nesta página ainda não foi salvo.');
  await question.getByRole('button', { name: 'Continuar editando' }).click();
  await expect(page).toHaveURL(`/admin/clients/edit/${client.id}`);
});

test.describe("a client's page", () => {
  test('tells who they are, what is theirs and what they opened', async ({ page, world }) => {
    const client = await world.newClient('Página da Paula');
    const id = await putDocument(world, client, { name: 'Contrato da Paula', expires: '2026-01-31' });
    const paula = await signIn(world.portaria, client);
    await done(
      paula.from('tickets').insert({ subject: 'Dúvida da Paula', message: 'Quando vence o contrato?' }),
    );
    await done(paula.from('document_receipts').insert({ document_id: id, action: 'opened' }));
    await signInAsAdmin(page);
    await page.goto('/admin/clients');
    await search(page).fill('pagina da paula');
    await page.getByRole('link', { name: 'Página da Paula', exact: true }).click();
    await expect(page).toHaveURL(`/admin/clients/view/${client.id}`);
    await expect(page.getByText(client.email)).toBeVisible();
    await expect(page.getByText('Ainda não entrou')).toBeHidden();
    await expect(page.getByRole('list', { name: 'Documentos' })).toContainText('Vencido em 31/01/2026');
    await expect(
      page.getByRole('list', { name: 'Tickets' }).getByRole('link', { name: 'Dúvida da Paula' }),
    ).toBeVisible();
    const opened = page.getByRole('list', { name: 'O que foi aberto' });
    await expect(opened).toContainText('Contrato da Paula');
    await expect(opened).toContainText(/Aberto em \d{2}\/\d{2}\/\d{4} às \d{2}:\d{2}/);
    await page.getByRole('link', { name: 'Novo Documento' }).click();
    await expect(page.getByLabel('Cliente')).toHaveValue('Página da Paula');
  });

  test('deletes for real, and counts what goes along', async ({ page, world }) => {
    const client = await world.newClient('Excluída Elisa');
    await putDocument(world, client, { name: 'Vai junto' });
    await signInAsAdmin(page);
    await page.goto(`/admin/clients/view/${client.id}`);
    await page.getByRole('button', { name: 'Excluir' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await expect(dialog).toContainText('Será excluído junto: 1 documento.');
    await dialog.getByRole('button', { name: 'Cancelar' }).click();
    await expect(dialog).toBeHidden();
    await page.getByRole('button', { name: 'Excluir' }).click();
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(
      page.getByText('A exclusão do cliente Excluída Elisa foi executada no servidor.'),
    ).toBeVisible();
    await expect(page).toHaveURL('/admin/clients');
    const left = await world.admin.from('documents').select('id').eq('name', 'Vai junto');
    expect(left.data).toEqual([]);
  });

  test('of somebody who is not there leads back to the list', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/view/019b7600-0000-7000-8000-00000000dead');
    await expect(page.getByText('Erro ao carregar cliente')).toBeVisible();
    await expect(page).toHaveURL('/admin/clients');
  });
});

test.describe('a table of clients', () => {
  test('is looked at line by line before it is brought in', async ({ page, world }) => {
    const { email } = await world.newClient('Já Cadastrada');
    const table = [
      'Nome;E-mail;CPF/CNPJ;Senha',
      'Importada Júlia;JULIA@importada.com.br;65.432.198/0001-28;',
      '"Silva; Irmãos";silva@importada.com.br;;senha dos Silva',
      'Sem Arroba;semarroba;;',
      'Repetida;julia@importada.com.br;;',
      `Conhecida;${email};;`,
    ].join('\r\n');
    await signInAsAdmin(page);
    await page.goto('/admin/clients');
    await page.getByRole('link', { name: 'Importar' }).click();
    // As an older spreadsheet saves it.
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
    await search(page).fill('importada');
    await expect(page.getByRole('row', { name: 'Importada Júlia' })).toContainText('julia@importada.com.br');
    await expect(page.getByRole('row', { name: 'Silva; Irmãos' })).toBeVisible();
    const mails = await world.portaria.mails();
    const told = mails.filter(({ recipient }) => recipient.endsWith('@importada.com.br'));
    expect(Object.fromEntries(told.map(({ recipient, event }) => [recipient, event]))).toEqual({
      'julia@importada.com.br': 'invite',
      'silva@importada.com.br': 'welcome',
    });
  });

  test('that fails in part tells of each line, and goes on with the rest', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/import');
    // An administrator's address is no client's, so only the server knows that it is taken.
    const rows = ['parte0@x.com.br', ADMIN.email, 'parte2@x.com.br'].map(
      (email, at) => `Parte ${at},${email},uma senha boa`,
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

  test('that meets a broken line goes on with every line that was not made', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/import');
    const rows = ['rede0@x.com.br', ADMIN.email, 'rede2@x.com.br', 'rede3@x.com.br'].map(
      (email, at) => `Rede ${at},${email},uma senha boa`,
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

  test('that is none is refused in words', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/clients/import');
    await page
      .getByLabel('Arquivo CSV')
      .setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('a;b\n1;2') });
    await expect(page.getByText('A primeira linha precisa dar nome às colunas').first()).toBeVisible();
  });

  test('is taken out safe for a spreadsheet', async ({ page, world }) => {
    await world.newClient('=1+1 Fórmula');
    await signInAsAdmin(page);
    await page.goto('/admin/clients');
    await search(page).fill('fórmula');
    await expect(page.getByRole('row', { name: 'Fórmula' })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Exportar' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^clientes-\d{4}-\d{2}-\d{2}\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    const [head, row, ...rest] = text.split('\r\n');
    expect(head).toBe('\uFEFF"Nome";"Email";"CPF ou CNPJ";"Cadastro";"Último acesso"');
    expect(row).toMatch(/^"'=1\+1 Fórmula";"[^"]+";"";"\d{2}\/\d{2}\/\d{4}";""$/);
    expect(rest).toEqual(['']);
  });

  test('is taken out whole, however many pages it is read in', async ({ page, world }) => {
    const numbers = Array.from({ length: 1001 }, (_, at) => at);
    const { url, serviceRoleKey } = world.portaria;
    const headers = { apikey: serviceRoleKey, 'Content-Type': 'application/json' };
    // Who is invited has no password to be hashed, so a thousand are made in seconds.
    const invite = async (at: number) => {
      const body = JSON.stringify({ email: `m${at}@muitos.com.br`, data: { full_name: `Muitos ${at}` } });
      const answer = await fetch(`${url}/auth/v1/invite`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    };
    for (let at = 0; at < numbers.length; at += 50) {
      await Promise.all(numbers.slice(at, at + 50).map(invite));
    }
    await signInAsAdmin(page);
    await page.goto('/admin/clients');
    await search(page).fill('muitos');
    await expect(page.getByRole('row', { name: 'Muitos 1000' })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Exportar' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const emails = [...text.matchAll(/"(m\d+@muitos\.com\.br)"/g)].map(([, email]) => email);
    expect(new Set(emails).size).toBe(numbers.length);
    expect(emails).toHaveLength(numbers.length);
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`has no fault that axe can find, in the ${colorScheme} theme`, async ({ browser, world }) => {
    const client = await world.newClient('Axel Axe');
    await putDocument(world, client, { name: 'Documento do Axel' });
    const context = await browser.newContext({ baseURL: world.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    for (const path of [`/admin/clients/view/${client.id}`, '/admin/clients/import', '/admin/clients/new']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect
        .soft(
          violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          path,
        )
        .toEqual([]);
    }
    await context.close();
  });
}
