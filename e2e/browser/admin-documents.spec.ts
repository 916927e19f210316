// The office's documents: found, sent one by one and many at once, looked at, changed and deleted.

import { buffer } from 'node:stream/consumers';

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import PdfDocument from 'pdfkit';

import { BUCKET, data, done, type Person, program, signIn } from '../office.ts';
import { putDocument } from './documents.ts';
import { hold, signInAsAdmin, test, type World } from './test.ts';

const search = (page: Page) => page.getByRole('searchbox', { name: 'Buscar por nome, cliente ou pasta...' });

test.describe('the list of documents', () => {
  test('is searched by name, client or folder, and leads to each', async ({ page, world }) => {
    const tiago = await world.newClient('Tiago Lista');
    const uma = await world.newClient('Uma Lista');
    await putDocument(world, tiago, { name: 'Guia do Tiago', expires: '2026-12-10' });
    await putDocument(world, uma, { name: 'Ata da Uma', type: 'docx', folder: 'contratos', file: null });
    await signInAsAdmin(page);
    await page.goto('/admin/documents');
    const guia = page.getByRole('row', { name: 'Guia do Tiago' });
    const ata = page.getByRole('row', { name: 'Ata da Uma' });
    await search(page).fill('guia do');
    await expect(guia).toContainText(tiago.email);
    await expect(guia).toContainText('10/12/2026');
    await expect(ata).toBeHidden();
    await search(page).fill('uma lista');
    await expect(ata).toContainText('Contratos');
    await expect(ata).toContainText('N/A');
    await expect(guia).toBeHidden();
    await search(page).fill('contratos');
    await expect(ata).toBeVisible();
    await search(page).fill('nada assim');
    await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
    await search(page).fill('guia do');
    await page.getByRole('link', { name: 'Guia do Tiago' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Guia do Tiago' })).toBeVisible();
  });

  test('finds what is of any client that the words find, however many they are', async ({ page, world }) => {
    const api = program(world.portaria);
    const last = await world.newClient('Xará Último');
    // Who is invited has no password to be hashed, so many are made in a moment.
    const invite = (at: number) =>
      done(api.auth.admin.inviteUserByEmail(`xara${at}@x.com.br`, { data: { full_name: `Xará ${at}` } }));
    for (let at = 0; at < 120; at += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, next) => invite(at + next)));
    }
    await putDocument(world, last, { name: 'Declaração do último' });
    await signInAsAdmin(page);
    await page.goto('/admin/documents');
    await search(page).fill('xara');
    await expect(page.getByRole('row', { name: 'Declaração do último' })).toContainText('Xará Último');
    await search(page).fill('declaracao do ult');
    await expect(page.getByRole('row', { name: 'Declaração do último' })).toBeVisible();
  });

  test('deletes a document with its file, after a question', async ({ page, world }) => {
    const vera = await world.newClient('Vera Apaga');
    const id = await putDocument(world, vera, { name: 'Apagável' });
    const { file_url: path } = await data(
      world.admin.from('documents').select('file_url').eq('id', id).single(),
    );
    await signInAsAdmin(page);
    await page.goto('/admin/documents');
    await search(page).fill('Apagável');
    await page.getByRole('button', { name: 'Excluir Apagável' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(page.getByText('Documento excluído com sucesso!')).toBeVisible();
    await expect(page.getByText('Nenhum documento encontrado')).toBeVisible();
    const file = await world.admin.storage.from(BUCKET).download(path);
    expect(file.data).toBeNull();
  });
});

test.describe('a document that is sent', () => {
  test('needs client, folder, file and name, and at most 10 MB', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/documents/upload');
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    for (const said of [
      'Cliente é obrigatório.',
      'Pasta é obrigatória.',
      'Arquivo é obrigatório.',
      'Nome do documento é obrigatório.',
      'Por favor, preencha todos os campos obrigatórios.',
    ]) {
      await expect(page.getByText(said)).toBeVisible();
    }
    await expect(page.getByText('PNG, JPG, PDF, DOCX, etc. até 10MB')).toBeVisible();
    const large = {
      name: 'grande.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.alloc(10 * 1024 ** 2 + 1),
    };
    await page.getByLabel('Arquivo').setInputFiles(large);
    await expect(page.getByText('O arquivo excede o limite de 10MB.').first()).toBeVisible();
    await page.getByLabel('Arquivo').setInputFiles(pdf('Guia de Novembro.PDF', await pdfOf('Guia')));
    await expect(page.getByLabel('Nome do Documento')).toHaveValue('Guia de Novembro');
    await expect(page.getByLabel('Tipo do Documento')).toHaveValue('pdf');
  });

  test('is called off on its way, and nothing of it stays', async ({ page, world }) => {
    const wanda = await world.newClient('Wanda Cancela');
    await signInAsAdmin(page);
    await fillUpload(page, wanda, pdf('lento.pdf', await pdfOf('Lento')));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/storage/v1/object/client-documents/**', async (route) => {
      await held;
      await route.abort().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await page.getByRole('button', { name: 'Cancelar envio' }).click({ timeout: 30_000 });
    await expect(page.getByText('Envio cancelado')).toBeVisible();
    release();
    const left = await world.admin.from('documents').select('id').eq('client_id', wanda.id);
    expect(left.data).toEqual([]);
  });

  test('stays unsent when its page is left while its text is looked through', async ({ page, world }) => {
    const otto = await world.newClient('Otto Desiste');
    await signInAsAdmin(page);
    await fillUpload(page, otto, pdf('guia.pdf', await pdfOf(TELLING)));
    const look = await holdSearch(page);
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await look.begun;
    await page.getByRole('link', { name: 'Cancelar' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Gerenciar Documentos' })).toBeVisible();
    expect(await look.end()).toEqual([]);
  });

  test('whose row cannot be saved leaves no file behind', async ({ page, world }) => {
    const xisto = await world.newClient('Xisto Falha');
    await signInAsAdmin(page);
    await fillUpload(page, xisto, pdf('perdido.pdf', await pdfOf('Perdido')));
    await page.route('**/rest/v1/documents*', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
    );
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Erro ao enviar documento')).toBeVisible();
    const folder = world.admin.storage.from(BUCKET).list(`public/${xisto.id}/faturas`);
    expect((await done(folder)).data).toEqual([]);
    // What was filled in is still there for another try.
    await page.unroute('**/rest/v1/documents*');
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
  });

  test('is there once, and its file with it, when only the answer is lost', async ({ page, world }) => {
    const ximena = await world.newClient('Ximena Queda');
    const stored = async () => {
      const rows = world.admin.from('documents').select('id,file_url').eq('client_id', ximena.id).single();
      const { id, file_url } = await data(rows);
      expect((await world.admin.storage.from(BUCKET).download(file_url)).error).toBeNull();
      return id;
    };
    await signInAsAdmin(page);
    await fillUpload(page, ximena, pdf('guia.pdf', await pdfOf('Guia')));
    await page.route('**/rest/v1/documents*', async (route) => {
      if (!['POST', 'PATCH'].includes(route.request().method())) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Salvar Documento' }).click();
    await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
    await page.goto(`/admin/documents/view/${await stored()}`);
    await page.getByLabel('Novo arquivo').setInputFiles(pdf('outra.pdf', await pdfOf('Outra guia')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(page.getByText('Arquivo substituído com sucesso!')).toBeVisible();
    await stored();
  });

  for (const [what, text, taxId] of [
    ['CNPJ', 'Contratada: CNPJ 11.222.333/0001-81', '11222333000181'],
    ['CNPJ', 'Filial inscrita sob 12.ABC.345/01DE-35 em Recife', '12ABC34501DE35'],
    ['CPF', 'Declarante, CPF 529.982.247-25', '52998224725'],
  ] as const) {
    test(`asks when it names another client's ${what} (${taxId})`, async ({ page, world }) => {
      const right = await clientWith(world, `Dona do ${taxId}`, taxId);
      const wrong = await world.newClient(`Errado ${taxId}`);
      await signInAsAdmin(page);
      await fillUpload(page, wrong, pdf('guia.pdf', await pdfOf(text)));
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Documento de outro cliente?' });
      await expect(dialog).toContainText(`de ${right.name}`);
      await expect(dialog).toContainText(`O documento vai para ${wrong.name}`);
      await dialog.getByRole('button', { name: 'Voltar e corrigir' }).click();
      expect((await world.admin.from('documents').select('id').eq('client_id', wrong.id)).data).toEqual([]);
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      // However hastily it is answered, it is one document.
      await dialog.getByRole('button', { name: 'Salvar assim mesmo' }).dblclick();
      await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
      expect((await world.admin.from('documents').select('id').eq('client_id', wrong.id)).data).toHaveLength(
        1,
      );
      // To whom it belongs it goes without a question.
      await fillUpload(page, right, pdf('guia.pdf', await pdfOf(text)));
      await page.getByRole('button', { name: 'Salvar Documento' }).click();
      await expect(page).toHaveURL('/admin/documents');
      await done(world.admin.from('documents').delete().in('client_id', [right.id, wrong.id]));
      await deletePerson(world, right);
    });
  }
});

test.describe('many documents at once', () => {
  test('have a line each, and what is wrong with one does not hold the others', async ({ page, world }) => {
    const xavier = await world.newClient('Xavier Lote');
    const other = await clientWith(world, 'Yara de Outra', '11444777000161');
    await signInAsAdmin(page);
    await page.goto('/admin/documents/bulk');
    await page.getByRole('button', { name: 'Enviar documentos' }).click();
    for (const said of ['Cliente é obrigatório.', 'Pasta é obrigatória.', 'Arquivo é obrigatório.']) {
      await expect(page.getByText(said)).toBeVisible();
    }
    await choose(page, 'Cliente', xavier.name);
    await choose(page, 'Pasta', 'Faturas');
    const files = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => pdf(`Guia ${at + 1}.pdf`, await pdfOf(`Guia ${at + 1}`))),
    );
    const foreign = pdf('Da Yara.pdf', await pdfOf('CNPJ: 11.444.777/0001-61'));
    const empty = { name: 'vazio.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) };
    const disguised = pdf('disfarce.pdf', Buffer.from('<!doctype html><p>nada'));
    await page.getByLabel('Arquivos *').setInputFiles([...files, foreign, empty, disguised]);
    await page.getByLabel('Nome do documento de Guia 1.pdf').fill('Guia de janeiro');
    await page.getByRole('button', { name: 'Enviar 7 documentos' }).click();
    await expect(page.getByText('5 de 8 enviados, 1 à espera de resposta, 2 com erro')).toBeVisible({
      timeout: 60_000,
    });
    const line = (name: string) =>
      page.getByRole('list', { name: 'Arquivos' }).getByRole('listitem').filter({ hasText: name });
    await expect(line('vazio.pdf')).toContainText('O arquivo está vazio.');
    await line('Da Yara.pdf').getByRole('button', { name: 'Enviar para Yara de Outra' }).click();
    await line('vazio.pdf').getByRole('button', { name: 'Remover' }).click();
    await line('disfarce.pdf').getByRole('button', { name: 'Remover' }).click();
    await page.getByRole('button', { name: 'Enviar 1 documento' }).click();
    await expect(page.getByText('6 de 6 enviados')).toBeVisible();
    const names = async (person: Person) =>
      (await done(world.admin.from('documents').select('name').eq('client_id', person.id).order('name')))
        .data;
    expect(await names(xavier)).toHaveLength(5);
    expect(await names(xavier)).toContainEqual({ name: 'Guia de janeiro' });
    expect(await names(other)).toEqual([{ name: 'Da Yara' }]);
    await page.getByRole('link', { name: 'Ver documentos' }).click();
    await expect(page).toHaveURL('/admin/documents');
    await deletePerson(world, other);
  });
});

test('two files of one name are two documents', async ({ page, world }) => {
  const yuri = await world.newClient('Yuri Repete');
  // Sent in the same moment.
  await page.clock.setFixedTime(new Date());
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  await choose(page, 'Cliente', yuri.name);
  await choose(page, 'Pasta', 'Faturas');
  const files = await Promise.all(
    ['Janeiro', 'Fevereiro'].map(async (text) => pdf('guia.pdf', await pdfOf(text))),
  );
  await page.getByLabel('Arquivos *').setInputFiles(files);
  await page.getByRole('button', { name: 'Enviar 2 documentos' }).click();
  await expect(page.getByText('2 de 2 enviados')).toBeVisible();
});

test.describe("a document's page", () => {
  test('shows it, changes it, replaces its file, and keeps who opened it', async ({ page, world }) => {
    const zeca = await world.newClient('Zeca Documento');
    const id = await putDocument(world, zeca, {
      name: 'Contrato antigo',
      file: { bytes: await pdfOf('Versão antiga'), mimeType: 'application/pdf' },
    });
    const theirs = await signIn(world.portaria, zeca);
    await done(theirs.from('document_receipts').insert({ document_id: id, action: 'downloaded' }));
    const before = await done(world.admin.from('documents').select('file_url').eq('id', id).single());
    await signInAsAdmin(page);
    await page.goto(`/admin/documents/view/${id}`);
    await expect(page.getByText('Versão antiga')).toBeVisible();
    const openings = page.getByRole('list', { name: 'Aberturas pelo cliente' });
    await expect(openings).toContainText('Baixado em');
    await expect(page.getByRole('link', { name: 'Zeca Documento' })).toBeVisible();

    await page.getByLabel('Nome do Documento').fill('');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Nome do documento é obrigatório.')).toBeVisible();
    await page.getByLabel('Nome do Documento').fill('Contrato novo');
    await choose(page, 'Pasta', 'Contratos');
    await page.getByLabel('Data de Vencimento').fill('2027-01-31');
    await page.getByLabel('Status').selectOption('Pendente');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Contrato novo' })).toBeVisible();
    const changed = await done(
      world.admin.from('documents').select('name,status,folder_id_supabase,expires_at').eq('id', id).single(),
    );
    expect(changed.data).toEqual({
      name: 'Contrato novo',
      status: 'pending',
      folder_id_supabase: 'contratos',
      expires_at: '2027-02-01T02:59:59+00:00',
    });

    await page.getByLabel('Novo arquivo').setInputFiles(pdf('novo.pdf', await pdfOf('Versão nova')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(page.getByText('Arquivo substituído com sucesso!')).toBeVisible();
    await expect(page.getByText('Versão nova')).toBeVisible();
    await expect(openings).toContainText('Baixado em');
    const old = await world.admin.storage.from(BUCKET).download(before.data?.file_url);
    expect(old.data).toBeNull();

    await page.getByLabel('Nome do Documento').fill('Contrato sem salvar');
    await page.getByRole('link', { name: 'Zeca Documento' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Sair sem salvar?' })).toBeVisible();
  });

  test('shows what a colleague changes meanwhile, and leaves it as it is', async ({ page, world }) => {
    const id = await putDocument(world, await world.newClient('Zoraide Guarda'), { name: 'Procuração' });
    const change = (columns: object) => done(world.admin.from('documents').update(columns).eq('id', id));
    await signInAsAdmin(page);
    await page.goto(`/admin/documents/view/${id}`);
    const [name, reason] = [page.getByLabel('Nome do Documento'), page.getByLabel('Guarda legal (motivo)')];
    await name.fill('Procuração nova');
    await change({ hold_reason: 'Processo 12', status: 'inactive' });
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
    await expect(reason).toHaveValue('Processo 12');
    const saved = world.admin.from('documents').select('name,hold_reason,status').eq('id', id).single();
    expect((await done(saved)).data).toEqual({
      name: 'Procuração nova',
      hold_reason: 'Processo 12',
      status: 'inactive',
    });

    // Read anew, it keeps what is being written.
    await page.getByLabel('Data de Vencimento').fill('2027-01-31');
    await change({ name: 'Procuração da colega', hold_reason: null });
    await page.getByLabel('Novo arquivo').setInputFiles(pdf('novo.pdf', await pdfOf('Versão nova')));
    await page.getByRole('button', { name: 'Substituir' }).click();
    await expect(name).toHaveValue('Procuração da colega');
    await expect(page.getByLabel('Data de Vencimento')).toHaveValue('2027-01-31');
  });

  test('takes no words while it is being saved', async ({ page, world }) => {
    const id = await putDocument(world, await world.newClient('Zenaide Espera'), { name: 'Aviso' });
    await signInAsAdmin(page);
    await page.goto(`/admin/documents/view/${id}`);
    const name = page.getByLabel('Nome do Documento');
    await name.fill('Aviso novo');
    const change = await hold(page, /\/rest\/v1\/documents\?/, 'PATCH');
    await page.getByRole('button', { name: 'Salvar Alterações' }).click();
    await change.begun;
    await expect(name).toBeDisabled();
    change.release();
    await expect(name).toBeEnabled();
    await expect(name).toHaveValue('Aviso novo');
  });

  test('keeps its file when it is left while the new one is looked through', async ({ page, world }) => {
    const id = await putDocument(world, await world.newClient('Zilda Mantém'), { name: 'Fica como está' });
    await signInAsAdmin(page);
    await page.goto(`/admin/documents/view/${id}`);
    await page.getByLabel('Novo arquivo').setInputFiles(pdf('novo.pdf', await pdfOf(TELLING)));
    const look = await holdSearch(page);
    await page.getByRole('button', { name: 'Substituir' }).click();
    await look.begun;
    await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
    await page.getByRole('button', { name: 'Sair sem salvar' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Gerenciar Documentos' })).toBeVisible();
    expect(await look.end()).toEqual([]);
  });

  test('says when there is no such document', async ({ page }) => {
    await signInAsAdmin(page);
    await page.goto('/admin/documents/view/nenhum');
    await expect(page.getByRole('heading', { name: 'Documento não encontrado' })).toBeVisible();
    await page.getByRole('link', { name: 'Voltar para Documentos' }).click();
    await expect(page).toHaveURL('/admin/documents');
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`has no fault that axe can find, in the ${colorScheme} theme`, async ({ browser, world }) => {
    const client = await world.newClient('Axel Documento');
    const id = await putDocument(world, client, { name: 'Documento do Axel' });
    const context = await browser.newContext({ baseURL: world.portaria.url, colorScheme });
    const page = await context.newPage();
    await signInAsAdmin(page);
    for (const path of [`/admin/documents/view/${id}`, '/admin/documents/bulk', '/admin/documents/upload']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect
        .soft(
          violations.map(({ id: rule, nodes }) => [rule, nodes.map(({ html }) => html)]),
          path,
        )
        .toEqual([]);
    }
    await context.close();
  });
}

async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label).first().fill(name);
  await page.getByRole('option', { name }).click();
}

async function fillUpload(page: Page, client: Person, file: ReturnType<typeof pdf>): Promise<void> {
  await page.goto('/admin/documents/upload');
  await choose(page, 'Cliente', client.name);
  await choose(page, 'Pasta', 'Faturas');
  await page.getByLabel('Arquivo').setInputFiles(file);
}

/** A text that a client is looked for by, and that none is found by. */
const TELLING = 'CNPJ 45.997.418/0001-53';

/** Holds the search for whose a document is; at its end, tells which files the page sent all the same. */
async function holdSearch(page: Page) {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/object/'))
      sent.push(request.url());
  });
  const isSearch = /\/rest\/v1\/clients\?.*tax_id=in/;
  const { begun, release } = await hold(page, isSearch, 'GET');
  const end = async () => {
    const answer = page.waitForResponse(isSearch);
    release();
    await (await answer).finished();
    // By the time that another screen has been read, it would have been sent.
    await page.getByRole('link', { name: 'Pastas' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Pastas' })).toBeVisible();
    return sent;
  };
  return { begun, end };
}

async function clientWith(world: World, name: string, taxId: string): Promise<Person> {
  const person = await world.newClient(name);
  await office(world, person, 'PUT', { user_metadata: { tax_id: taxId } });
  return person;
}

/** Whoever bears a number that another test looks for would be found by it too. */
const deletePerson = (world: World, person: Person) => office(world, person, 'DELETE', {});

async function office({ portaria }: World, { id }: Person, method: string, body: object): Promise<void> {
  const answer = await fetch(`${portaria.url}/auth/v1/admin/users/${id}`, {
    method,
    headers: { apikey: portaria.serviceRoleKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

function pdf(name: string, bytes: Buffer) {
  return { name, mimeType: 'application/pdf', buffer: bytes };
}

async function pdfOf(text: string): Promise<Buffer> {
  const document = new PdfDocument();
  document.text(text);
  document.end();
  return buffer(document);
}
