// A day's work of an office, and the activity log of that day.

import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { signIn } from '../../helpers/api.ts';
import { openRowMenu } from '../../helpers/lists.ts';
import { samplePdf } from '../../helpers/pdf.ts';

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

test('office day › import, folders, uploads, tickets and a deletion are in the log', async ({
  page,
  app,
}) => {
  test.setTimeout(180_000);
  const bytes = await samplePdf();
  await signInAsAdmin(page);

  await test.step('imports clients from a spreadsheet', async () => {
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

  await test.step('creates folders', async () => {
    await open(page, 'Pastas');
    for (const name of FOLDERS) {
      await page.getByRole('button', { name: 'Nova Pasta' }).click();
      await page.getByLabel('Nome *').fill(name);
      await page.getByRole('button', { name: 'Salvar', exact: true }).click();
      await expect(page.getByRole('button', { name: `Editar ${name}` })).toBeVisible();
    }
  });

  await test.step('uploads thirty documents of a client', async () => {
    await page.goto('/admin/documents/bulk');
    const files = Array.from({ length: FILES }, (_, at) => ({
      name: `DAS ${String(at + 1).padStart(2, '0')}.pdf`,
      mimeType: 'application/pdf',
      // Equal files would wait for a decision.
      buffer: Buffer.concat([bytes, Buffer.from(`% ${at}\n`)]),
    }));
    await page.getByLabel('Arquivos', { exact: true }).setInputFiles(files);
    const group = page.getByRole('group', { name: 'Grupo' });
    await expect(group).toContainText(`Sem dono ${FILES}`, { timeout: 90_000 });
    await group.getByRole('button', { name: 'Sem dono' }).click();
    await page.getByRole('checkbox', { name: 'Selecionar todos' }).check();
    await choose(page, 'Pasta dos selecionados', 'Guias 2026');
    await choose(page, 'Cliente dos selecionados', AURORA);
    await group.getByRole('button', { name: 'Reconhecidos' }).click();
    await page.getByRole('button', { name: `Publicar ${FILES}` }).click();
    await page.getByRole('button', { name: 'Publicar agora' }).click();
    await expect(group).toContainText(`Publicados ${FILES}`, { timeout: 90_000 });
    await open(page, 'Documentos');
    await expect(page.getByRole('row', { name: 'DAS 30' })).toContainText(AURORA);
  });

  await test.step('answers five tickets from the queue', async () => {
    const [, email] = CLIENTS[0];
    const aurora = await signIn(app.portaria, { email, password: PASSWORD });
    for (const subject of QUESTIONS) {
      const inserted = await aurora.from('tickets').insert({ subject, message: 'Bom dia! Podem me ajudar?' });
      expect(inserted.error).toBeNull();
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

  await test.step('deletes a client', async () => {
    await open(page, 'Clientes');
    await openRowMenu(page, MERCADINHO);
    await page.getByRole('menuitem', { name: 'Excluir' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confirmar Exclusão' });
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await expect(page.getByText('Ação de Exclusão')).toBeVisible();
    await expect(page.getByRole('row', { name: MERCADINHO })).toBeHidden();
  });

  await test.step('all events are in the log', async () => {
    await open(page, 'Atividade');
    await filterByKind(page, 'Documentos');
    await expect(logLines(page, /Documento enviado.*DAS \d\d/)).toHaveCount(FILES);
    await filterByKind(page, 'Pastas');
    for (const name of FOLDERS) await expect(logLines(page, `Pasta criada`, name)).toHaveCount(1);
    await filterByKind(page, 'Tickets');
    for (const subject of QUESTIONS) {
      await expect(logLines(page, 'Ticket aberto', subject)).toHaveCount(1);
      await expect(logLines(page, 'Ticket respondido', subject)).toHaveCount(1);
    }
    await filterByKind(page, 'Contas e clientes');
    for (const [name] of CLIENTS) await expect(logLines(page, 'Conta criada', name)).toHaveCount(1);
    await expect(logLines(page, 'Conta excluída', MERCADINHO)).toHaveCount(1);
  });
});

/** Follows an entry of the sidebar. */
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

/** Filters the log by kind. */
async function filterByKind(page: Page, kind: string): Promise<void> {
  await page.getByLabel('Tipo').selectOption(kind);
}

/** The lines of the log that contain all of these texts. */
function logLines(page: Page, ...texts: (string | RegExp)[]) {
  const lines = page.getByRole('table', { name: 'Atividade' }).getByRole('row');
  return texts.reduce((found, hasText) => found.filter({ hasText }), lines);
}
