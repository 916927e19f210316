// One day in the office, as its secretary works through it, and all of it found in the log at the end.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test as base } from '../../fixtures/test.ts';
import { signIn } from '../../helpers/api.ts';
import { samplePdf } from '../../helpers/pdf.ts';

// The log is read to its end, so the day has a worker, and with it an office, of its own.
const test = base.extend<object, { alone: true }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
  alone: [async ({}, provide) => provide(true), { scope: 'worker', auto: true }],
});

const CLIENTS = [
  ['Padaria Aurora Ltda', 'contato@padariaaurora.com.br', '11.222.333/0001-81'],
  ['Clínica Viva Bem', 'financeiro@vivabem.com.br', '11.444.777/0001-61'],
  ['Antônio Gonçalves da Conceição', 'antonio@goncalves.com.br', '529.982.247-25'],
  ['Mercadinho São José', 'mercadinho@saojose.com.br', ''],
] as const;
const AURORA = 'Padaria Aurora Ltda';
const MERCADINHO = 'Mercadinho São José';
const PASSWORD = 'a senha do portal';
const FOLDERS = ['Guias 2026', 'Holerites'];
const FILES = 30;
const QUESTIONS = ['Segunda via da guia', 'Férias da equipe', 'Nota fiscal', 'Alvará', 'Pró-labore'];

test('a day in the office, and the log of it', async ({ page, app }) => {
  test.setTimeout(180_000);
  const bytes = await samplePdf();
  await signInAsAdmin(page);

  await test.step('clients come from the old spreadsheet', async () => {
    await open(page, 'Clientes');
    await page.getByRole('link', { name: 'Importar' }).click();
    const rows = CLIENTS.map((client) => [...client, PASSWORD].join(';'));
    await page.getByLabel('Arquivo CSV').setInputFiles({
      name: 'clientes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['Nome;E-mail;CPF/CNPJ;Senha', ...rows].join('\r\n'), 'latin1'),
    });
    await page.getByRole('button', { name: `Importar ${CLIENTS.length} clientes` }).click();
    await expect(page.getByText(`${CLIENTS.length} clientes importados.`)).toBeVisible();
  });

  await test.step('folders for the year', async () => {
    await open(page, 'Pastas');
    for (const name of FOLDERS) {
      await page.getByRole('button', { name: 'Nova Pasta' }).click();
      await page.getByLabel('Nome *').fill(name);
      await page.getByRole('button', { name: 'Salvar', exact: true }).click();
      await expect(page.getByRole('button', { name: `Editar ${name}` })).toBeVisible();
    }
  });

  await test.step('thirty papers of one client at once', async () => {
    await page.goto('/admin/documents/bulk');
    await choose(page, 'Cliente', AURORA);
    await choose(page, 'Pasta', 'Guias 2026');
    const papers = Array.from({ length: FILES }, (_, at) => ({
      name: `DAS ${String(at + 1).padStart(2, '0')}.pdf`,
      mimeType: 'application/pdf',
      buffer: bytes,
    }));
    await page.getByLabel('Arquivos *').setInputFiles(papers);
    await page.getByRole('button', { name: `Enviar ${FILES} documentos` }).click();
    await expect(page.getByText(`${FILES} de ${FILES} enviados`)).toBeVisible({ timeout: 90_000 });
    await page.getByRole('link', { name: 'Ver documentos' }).click();
    await expect(page.getByRole('row', { name: 'DAS 30' })).toContainText(AURORA);
  });

  await test.step('five questions have come, and are answered from the queue', async () => {
    const [, email] = CLIENTS[0];
    const aurora = await signIn(app.portaria, { email, password: PASSWORD });
    for (const subject of QUESTIONS) {
      const asked = await aurora.from('tickets').insert({ subject, message: 'Bom dia! Podem me ajudar?' });
      expect(asked.error).toBeNull();
    }
    for (const subject of QUESTIONS) {
      await open(page, 'Tickets');
      await page.getByRole('link', { name: subject, exact: true }).click();
      await page.getByLabel('Sua resposta').fill(`Bom dia! Sobre "${subject}": está resolvido.`);
      await page.getByRole('button', { name: 'Enviar resposta' }).click();
      await expect(page.getByRole('log')).toContainText('está resolvido.');
    }
    await open(page, 'Dashboard');
    await expect(page.getByText('Nenhum ticket sem resposta.')).toBeVisible();
  });

  await test.step('a client leaves', async () => {
    await open(page, 'Clientes');
    await page.getByRole('button', { name: `Excluir ${MERCADINHO}` }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(page.getByText('Ação de Exclusão')).toBeVisible();
    await expect(page.getByRole('row', { name: MERCADINHO })).toBeHidden();
  });

  await test.step('all of it is in the log', async () => {
    await open(page, 'Atividade');
    await only(page, 'Documentos');
    await expect(told(page, /Documento enviado.*DAS \d\d/)).toHaveCount(FILES);
    await only(page, 'Pastas');
    for (const name of FOLDERS) await expect(told(page, `Pasta criada`, name)).toHaveCount(1);
    await only(page, 'Tickets');
    for (const subject of QUESTIONS) {
      await expect(told(page, 'Ticket aberto', subject)).toHaveCount(1);
      await expect(told(page, 'Ticket respondido', subject)).toHaveCount(1);
    }
    await only(page, 'Contas e clientes');
    for (const [name] of CLIENTS) await expect(told(page, 'Conta criada', name)).toHaveCount(1);
    await expect(told(page, 'Conta excluída', MERCADINHO)).toHaveCount(1);
  });
});

/** Goes where an entry of the sidebar leads. */
async function open(page: Page, entry: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Administração' })
    .getByRole('link', { name: entry, exact: true })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label).first().fill(name);
  await page.getByRole('option', { name }).click();
}

/** Shows the lines of one kind. */
async function only(page: Page, kind: string): Promise<void> {
  await page.getByLabel('Tipo').selectOption(kind);
}

/** The log's lines that say all of this. */
function told(page: Page, ...words: (string | RegExp)[]) {
  const lines = page.getByRole('table', { name: 'Atividade' }).getByRole('row');
  return words.reduce((found, hasText) => found.filter({ hasText }), lines);
}
