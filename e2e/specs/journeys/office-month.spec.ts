// The work of a month: from the list of clients to the proof that a document arrived.

import { expect, type Page } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectOk, serviceClient, unwrap } from '../../helpers/api.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { pdfWithText, readPdfText } from '../../helpers/pdf.ts';
import { chooseOption, pdfFile } from '../../helpers/upload.ts';

const COUNT = 200;
/** Number of files: the first clients get a second document. */
const FILES = 300;
const PASSWORD = 'a senha do portal';
const LINE = '84670000001-7 43590024020-9 02405000243-5 84221010811-9';
const DOCUMENT = 'DAS – novembro de 2026';

const CLIENTS = Array.from({ length: COUNT }, (_, at) => ({
  name: `Empresa ${String(at + 1).padStart(3, '0')} Ltda`,
  email: `empresa${at + 1}@clientes.com.br`,
  taxId: formatTaxId(11_000_000 + at * 7),
}));

/** The tax slips: one of November for each client, and one of October for the first ones. */
const SLIPS = [
  ...CLIENTS.map((client) => ({ ...client, month: '11/2026' })),
  ...CLIENTS.slice(0, FILES - COUNT).map((client) => ({ ...client, month: '10/2026' })),
];
/** The recipient of each notification: one for each document. */
const RECIPIENTS = SLIPS.map(({ email }) => email).toSorted();

test('office month › import, publication, reminders, a payment and its proof', async ({
  page,
  app,
  browser,
}, testInfo) => {
  test.setTimeout(240_000);
  const settings = serviceClient(app.portaria).from('email_notification_settings');
  await expectOk(settings.upsert({ document_type_event: 'fatura_new', enabled: true }));
  const notified = (event: string) => async () =>
    (await app.portaria.mails())
      .filter((mail) => mail.event === event)
      .map(({ recipient }) => recipient)
      .toSorted();
  const [payer, reader] = CLIENTS;
  if (!payer || !reader) throw new Error('There are no clients.');
  await signInAsAdmin(page);

  await test.step('imports the clients', async () => {
    await page.goto('/admin/clients');
    await page.getByRole('link', { name: 'Importar' }).click();
    const rows = CLIENTS.map(({ name, email, taxId }) => [name, email, taxId, PASSWORD].join(';'));
    await page.getByLabel('Arquivo CSV').setInputFiles({
      name: 'clientes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['Nome;E-mail;CPF/CNPJ;Senha', ...rows].join('\r\n')),
    });
    await page.getByRole('button', { name: `Importar ${COUNT} clientes` }).click();
    await expect(page.getByText(`${COUNT} clientes importados.`)).toBeVisible({ timeout: 40_000 });
  });

  const group = page.getByRole('group', { name: 'Grupo' });
  await test.step('drops the files, which are read', async () => {
    await page.goto('/admin/documents/bulk');
    const files = await Promise.all(
      SLIPS.map(async (slip, at) => pdfFile(`guia ${at + 1}.pdf`, await taxSlip(slip))),
    );
    await page.getByLabel('Arquivos', { exact: true }).setInputFiles(files);
    await expect(group).toContainText(`Em dúvida ${FILES}`, { timeout: 120_000 });
  });

  await test.step('chooses the folder of all of them', async () => {
    await group.getByRole('button', { name: 'Em dúvida' }).click();
    await page.getByRole('checkbox', { name: 'Selecionar todos' }).click();
    await expect(page.getByText(`${FILES} selecionados`)).toBeVisible();
    await chooseOption(page, 'Pasta dos selecionados', 'Faturas');
    await group.getByRole('button', { name: 'Reconhecidos' }).click();
  });

  await test.step('reads who receives them', async () => {
    await page.getByRole('button', { name: `Publicar ${FILES}` }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('listitem')).toHaveText(
      CLIENTS.map(({ name, email }, at) => {
        const documents = at < FILES - COUNT ? '2 documentos' : '1 documento';
        return `${name}${email}${documents}Recebe e-mail`;
      }),
    );
  });

  await test.step('publishes them', async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Publicar agora' }).click();
    await expect(group).toContainText(`Agendados ${FILES}`);
    // The minute to undo it passes. The publisher looks at the schedule every 30 seconds.
    app.portaria.execSql(`UPDATE inbox_files SET publish_at = '${new Date().toISOString()}'`);
    await expect(group).toContainText(`Publicados ${FILES}`, { timeout: 60_000 });
    await expect.poll(notified('fatura_new'), { timeout: 30_000 }).toEqual(RECIPIENTS);
  });

  await test.step('reminds the clients who did not open it', async () => {
    const client = await openAs(await browser.newPage({ baseURL: app.portaria.url }), reader.email);
    await expect(client.getByRole('heading', { level: 1, name: DOCUMENT })).toBeVisible();
    await client.close();
    await page.goto('/admin/unopened');
    await page.getByRole('button', { name: `Selecionar os ${FILES - 1} documentos` }).click();
    await page.getByRole('button', { name: 'Lembrar' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Lembrar' }).click();
    await expect(page.getByText(`${FILES - 1} lembretes na fila de e-mails`)).toBeVisible();
    const opened = RECIPIENTS.indexOf(reader.email);
    expect(await notified('document_reminder')()).toEqual(RECIPIENTS.toSpliced(opened, 1));
  });

  await test.step('a client opens it and reports the payment', async () => {
    const client = await openAs(await browser.newPage({ baseURL: app.portaria.url }), payer.email);
    await client.getByRole('button', { name: 'Já paguei' }).click();
    const dialog = client.getByRole('dialog', { name: 'Já paguei' });
    await dialog.getByLabel('Data do pagamento').fill(dayFromNow(-1));
    await dialog.getByRole('button', { name: 'Informar pagamento' }).click();
    await expect(
      client.getByText(`Você informou o pagamento em ${formatDay(dayFromNow(-1))}.`),
    ).toBeVisible();
    await client.close();
  });

  await test.step('the office has the payment and the proof of delivery', async () => {
    const found = app.admin
      .from('documents')
      .select('id,clients!inner(email)')
      .eq('clients.email', payer.email)
      .eq('name', DOCUMENT);
    const { id } = await unwrap(found.single());
    await page.goto(`/admin/documents/view/${id}`);
    const timeline = page.getByRole('list', { name: 'Linha do tempo' });
    await expect(timeline).toContainText('Aberto pelo cliente');
    await expect(page.getByText('Pago, segundo o cliente')).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Comprovante de entrega' }).click();
    const pdf = testInfo.outputPath('comprovante.pdf');
    await (await download).saveAs(pdf);
    const text = await readPdfText(pdf);
    expect(text).toContain(payer.name);
    expect(text).toContain(DOCUMENT);
    expect(text).toMatch(/Aberto pelo cliente em \d\d\/\d\d\/\d{4}/);
  });

  // Neither the reminder nor the answer sent the notification again.
  expect(await notified('fatura_new')()).toEqual(RECIPIENTS);
});

/** Opens the document as a client, from the list of its folder. */
async function openAs(client: Page, email: string): Promise<Page> {
  await openSession(client, { email, password: PASSWORD });
  await client.goto('/documents/faturas');
  await client.getByRole('link', { name: new RegExp(DOCUMENT) }).click();
  await expect(client.getByRole('heading', { level: 1, name: DOCUMENT })).toBeVisible();
  return client;
}

const taxSlip = ({ taxId, month }: { taxId: string; month: string }) =>
  pdfWithText(
    [
      'Documento de Arrecadação do Simples Nacional - DAS',
      `CNPJ: ${taxId}`,
      `Período de Apuração: ${month}`,
      'Data de Vencimento: 20/12/2026',
      'Valor Total do Documento: 143,59',
      LINE,
    ].join('\n'),
  );

/** A CNPJ with its check digits. */
function formatTaxId(root: number): string {
  const digits = Array.from(`${root}0001`, Number);
  for (const weights of [
    [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
    [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
  ]) {
    const rest = weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0) % 11;
    digits.push(rest < 2 ? 0 : 11 - rest);
  }
  return digits.join('').replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5');
}
