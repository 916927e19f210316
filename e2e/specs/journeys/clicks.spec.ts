// The number of clicks that frequent work needs.

import { expect } from '@playwright/test';

import { openSession, signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectOk, type Person, serviceClient, unwrap } from '../../helpers/api.ts';
import { countClicks } from '../../helpers/clicks.ts';
import { createClientWithTaxId } from '../../helpers/clients.ts';
import { dayFromNow } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { addTickets } from '../../helpers/tickets.ts';
import { pdfFile } from '../../helpers/upload.ts';

const SLIPS = 30;
const TICKETS = 10;
const LINE = '84670000001-7 43590024020-9 02405000243-5 84221010811-9';

test('clicks › thirty slips of thirty clients are published from the inbox with at most six', async ({
  page,
  context,
  app,
}) => {
  test.setTimeout(300_000);
  const files = [];
  for (let at = 1; at <= SLIPS; at += 1) {
    const taxId = taxIdOf(at);
    await createClientWithTaxId(app, `Empresa ${String(at).padStart(2, '0')} Ltda`, taxId);
    files.push(pdfFile(`guia ${at}.pdf`, await pdfWithText(slipOf(taxId))));
  }
  const clickCount = await countClicks(context);
  await openSession(page);
  await page.goto('/admin/documents/bulk');
  const group = page.getByRole('group', { name: 'Grupo' });
  // The files are dropped; a file dialog would be one click more, which the limit leaves room for.
  await page.getByLabel('Arquivos', { exact: true }).setInputFiles(files);
  await expect(group).toContainText(`Em dúvida ${SLIPS}`, { timeout: 120_000 });
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check();
  await page.getByLabel('Pasta dos selecionados').first().click();
  await page.getByRole('option', { name: 'Faturas' }).click();
  await expect(group).toContainText(`Reconhecidos ${SLIPS}`);
  await page.getByRole('button', { name: `Publicar ${SLIPS}` }).click();
  await page.getByRole('button', { name: 'Publicar agora' }).click();
  await expect(page.getByText(`${SLIPS} documentos serão publicados em`)).toBeVisible();
  expect(clickCount()).toBeLessThanOrEqual(5);
});

test('clicks › ten tickets are answered with at most twenty', async ({ page, context, app }) => {
  const client = await app.newClient('Oficina São Jorge');
  const subjects = Array.from({ length: TICKETS }, (_, at) => ({ subject: `Dúvida ${at + 1}` }));
  const ids = await addTickets(app.portaria, client, subjects);
  const clickCount = await countClicks(context);
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Responder' }).first().click();
  const reply = page.getByLabel('Sua resposta');
  for (let at = 1; at <= TICKETS; at += 1) {
    await expect(reply).toBeFocused();
    await page.keyboard.type('Bom dia! Está resolvido.');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('log')).toContainText('Está resolvido.');
    if (at < TICKETS) {
      const next = page.getByRole('link', { name: 'Próximo' });
      const address = page.url();
      await next.click();
      await expect(page).not.toHaveURL(address);
    }
  }
  const answered = await unwrap(
    serviceClient(app.portaria).from('ticket_messages').select('ticket_id').eq('from_staff', true),
  );
  expect(answered.map(({ ticket_id }) => ticket_id).toSorted()).toEqual(ids.toSorted());
  expect(clickCount()).toBeLessThanOrEqual(20);
});

test('clicks › the clients of all unopened documents are reminded with at most four', async ({
  page,
  context,
  app,
}) => {
  for (const name of ['Lavanderia Clara', 'Mercado Bom Dia', 'Papelaria Lápis']) {
    await seedDocument(app, await app.newClient(name), { name: `Guia de ${name}`, expires: dayFromNow(3) });
  }
  const clickCount = await countClicks(context);
  await signInAsAdmin(page);
  await page.getByRole('link', { name: 'Ver todos os não abertos' }).click();
  await page.getByRole('button', { name: /^Selecionar os \d+ documentos$/ }).click();
  await page.getByRole('button', { name: 'Lembrar', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Lembrar' }).click();
  await expect(page.getByText(/lembretes na fila de e-mails/)).toBeVisible();
  expect(clickCount()).toBeLessThanOrEqual(4);
});

test('clicks › a client pays a slip from its mail with at most three', async ({ page, context, app }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const settings = serviceClient(app.portaria).from('email_notification_settings');
  await expectOk(settings.upsert({ document_type_event: 'fatura_new', enabled: true }));
  const client = await app.newClient('Iolanda Paga em Dia');
  await seedDocument(app, client, { name: 'DAS de novembro', expires: dayFromNow(5), paymentLine: LINE });
  const mail = await findSlipMail(client);
  const webmail = 'https://webmail.exemplo.com.br/';
  await page.route(webmail, (route) => route.fulfill({ contentType: 'text/html', body: mail }));
  const clickCount = await countClicks(context);
  await page.goto(webmail);
  await page.getByRole('link', { name: 'Ver documento' }).click();
  await page.getByLabel('E-mail').fill(client.email);
  await page.getByLabel('Senha', { exact: true }).fill(client.password);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await page.getByRole('button', { name: 'Copiar código de barras' }).click();
  await expect(page.getByText('Código de barras copiado')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LINE.replaceAll(/[ -]/g, ''));
  expect(clickCount()).toBeLessThanOrEqual(3);

  async function findSlipMail({ email }: Person): Promise<string> {
    const mails = await app.portaria.mails();
    const found = mails.findLast(({ event, recipient }) => event === 'fatura_new' && recipient === email);
    if (!found) throw new Error('The mail about the slip was not queued.');
    return found.html;
  }
});

function slipOf(taxId: string): string {
  return [
    'Documento de Arrecadação do Simples Nacional - DAS',
    `CNPJ: ${taxId.replace(/^(\d{2})(\d{3})(\d{3})(\d{4})(\d{2})$/, '$1.$2.$3/$4-$5')}`,
    'Período de Apuração: 11/2026',
    'Data de Vencimento: 20/12/2026',
    'Valor Total do Documento: 143,59',
  ].join('\n');
}

/** A valid CNPJ for each number. */
function taxIdOf(at: number): string {
  let digits = `${String(40_000_000 + at * 7_919)}0001`;
  for (let check = 0; check < 2; check += 1) {
    const sum = digits
      .split('')
      .toReversed()
      .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 8)), 0);
    digits += String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
  }
  return digits;
}
