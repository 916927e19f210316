// Paying a document: codes to copy, the QR code, the report of a payment, and the request for an updated slip.

import { expect, type Page } from '@playwright/test';
import jsQR from 'jsqr';

import { openSession, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessible } from '../../helpers/accessibility.ts';
import { unwrap, expectOk, type Person } from '../../helpers/api.ts';
import { dayFromNow, formatDay } from '../../helpers/clock.ts';
import { seedDocument } from '../../helpers/documents.ts';
import { addMember } from '../../helpers/members.ts';
import { pdfWithText } from '../../helpers/pdf.ts';
import { chooseOption, pdfFile } from '../../helpers/upload.ts';

// The slip of a utility: 143.59 reais.
const LINE = '84670000001-7 43590024020-9 02405000243-5 84221010811-9';
const LINE_DIGITS = LINE.replaceAll(/[ -]/g, '');
// The example of the central bank's manual, without an amount.
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

test('payment › a document is uploaded with its codes', async ({ page, app }) => {
  const person = await app.newClient('Iolanda Boleto Ltda');
  await openSession(page);
  await page.goto(`/admin/documents/upload?cliente=${person.id}`);
  await chooseOption(page, 'Pasta *', 'Faturas');
  await page.getByLabel('Arquivo').setInputFiles(pdfFile('DAS de outubro.pdf', await pdfWithText('Guia')));
  const line = page.getByLabel('Linha digitável');
  await expect(line).toBeHidden();
  await page.getByText('Guia ou boleto a pagar (opcional)').click();
  await line.fill(LINE.replace('24020-9', '24021-9'));
  const save = page.getByRole('button', { name: 'Salvar Documento' });
  await save.click();
  await expect(page.getByText('A linha digitável não confere. Confira os 47 ou 48 dígitos.')).toBeVisible();
  await line.fill(LINE_DIGITS);
  await page.getByLabel('Pix copia e cola').fill(PIX);
  await expect(page.getByLabel('Valor (R$)')).toHaveValue('143,59');
  await page.getByLabel('Categoria').fill('das');
  await page.getByLabel('Competência').fill('2026-10');
  await expectAccessible(page);
  await save.click();
  await expect(page.getByText('Documento enviado com sucesso!')).toBeVisible();
  const stored = await unwrap(
    app.admin
      .from('documents')
      .select('category,reference_month,amount_cents,payment_line,pix_code')
      .eq('client_id', person.id)
      .single(),
  );
  expect(stored).toEqual({
    category: 'das',
    reference_month: '2026-10',
    amount_cents: 14_359,
    payment_line: LINE_DIGITS,
    pix_code: PIX,
  });
});

test('payment › codes are copied, and the QR code holds the Pix code', async ({ page, app }) => {
  const person = await app.newClient('Iara Pagadora');
  const id = await seedDocument(app, person, { name: 'DAS de outubro', expires: dayFromNow(5) });
  await openSession(page);
  await page.goto(`/admin/documents/view/${id}`);
  const line = page.getByLabel('Linha digitável');
  await line.fill(LINE.replace('24020-9', '24021-9'));
  await expect(page.getByText('Um dígito verificador não confere')).toBeVisible();
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('A linha digitável não confere. Confira os 47 ou 48 dígitos.')).toBeVisible();
  await line.fill(LINE_DIGITS);
  await expect(page.getByText('Dígitos conferidos: R$ 143,59')).toBeVisible();
  await page.getByLabel('Pix copia e cola').fill(PIX);
  await expect(page.getByText('Código conferido: Fulano de Tal, sem valor')).toBeVisible();
  await expect(line).toHaveValue(LINE);
  await expect(page.getByLabel('Valor (R$)')).toHaveValue('143,59');
  await page.getByLabel('Categoria').fill('das');
  await page.getByLabel('Competência').fill('2026-10');
  await page.getByLabel('Responsável').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Salvar Alterações' }).click();
  await expect(page.getByText('Documento atualizado com sucesso!')).toBeVisible();
  const stored = await unwrap(
    app.admin
      .from('documents')
      .select('category,reference_month,amount_cents,payment_line,pix_code,responsible_id')
      .eq('id', id)
      .single(),
  );
  expect(stored).toEqual({
    category: 'das',
    reference_month: '2026-10',
    amount_cents: 14_359,
    payment_line: LINE_DIGITS,
    pix_code: PIX,
    responsible_id: expect.any(String),
  });

  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Pagamento' }) });
  await expect(card.getByText('R$ 143,59')).toBeVisible();
  await expect(card).toContainText(`Vence em ${formatDay(dayFromNow(5))}`);
  await expect(card).toContainText('vale o que está no documento');
  await card.getByRole('button', { name: 'Copiar código de barras' }).click();
  await expect(page.getByText('Código de barras copiado')).toBeVisible();
  expect(await readClipboard(page)).toBe(LINE_DIGITS);
  await card.getByRole('button', { name: 'Copiar Pix' }).click();
  await expect(page.getByText('Pix copiado')).toBeVisible();
  expect(await readClipboard(page)).toBe(PIX);
  await card.getByRole('button', { name: 'Mostrar QR code' }).click();
  expect(await readQrCode(page)).toBe(PIX);
  await expectAccessible(page);
});

test('payment › the home page copies the codes of what is due', async ({ page, app }) => {
  const person = await app.newClient('Joel Início');
  await seedDocument(app, person, { name: 'Boleto', expires: dayFromNow(2), paymentLine: LINE });
  await seedDocument(app, person, { name: 'Taxa', expires: dayFromNow(3), pixCode: PIX });
  await seedDocument(app, person, { name: 'Contrato', expires: dayFromNow(4) });
  await openSession(page, person);
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Boleto/ })).toContainText('R$ 143,59');
  await page.getByRole('button', { name: 'Copiar código de barras de Boleto' }).click();
  await expect(page.getByText('Código de barras copiado')).toBeVisible();
  expect(await readClipboard(page)).toBe(LINE_DIGITS);
  await page.getByRole('button', { name: 'Copiar Pix de Taxa' }).click();
  await expect(page.getByText('Pix copiado')).toBeVisible();
  expect(await readClipboard(page)).toBe(PIX);
  await expect(page.getByRole('button', { name: /Contrato/ })).toHaveCount(0);
});

test('payment › a document without codes, or one that waits, shows no card', async ({ page, app }) => {
  const person = await app.newClient('Lia Sem Código');
  const plain = await seedDocument(app, person, { name: 'Contrato' });
  const waiting = await seedDocument(app, person, {
    name: 'Guia à espera',
    status: 'pending',
    paymentLine: LINE,
  });
  // A program on the database wrote a code with a wrong digit.
  const wrong = await seedDocument(app, person, { name: 'Guia errada', paymentLine: LINE });
  app.portaria.execSql(
    `UPDATE documents SET payment_line = '${LINE_DIGITS.replace(/9$/, '8')}' WHERE id = '${wrong}'`,
  );
  await openSession(page, person);
  for (const [id, name] of [
    [plain, 'Contrato'],
    [waiting, 'Guia à espera'],
  ] as const) {
    await page.goto(`/documents/view/${id}`);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expect(page.getByRole('heading', { name: 'Pagamento' })).toHaveCount(0);
  }
  await page.goto(`/documents/view/${wrong}`);
  await expect(page.getByRole('button', { name: 'Já paguei' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Copiar/ })).toHaveCount(0);
  await expect(page.getByText('Linha digitável')).toHaveCount(0);
});

test('payment › a report reaches the office with its receipt, and can be withdrawn', async ({
  page,
  app,
}) => {
  const person = await app.newClient('Nina Recibo');
  // A person who acts for this client and has a client account, too.
  const partner = await app.newClient('Sócia da Nina');
  await addMember(app, person, partner);
  const id = await seedDocument(app, person, {
    name: 'FGTS de outubro',
    expires: dayFromNow(1),
    paymentLine: LINE,
  });
  await seedDocument(app, person, { name: 'GPS de outubro', paymentLine: LINE });
  await openClient(page, partner, id);
  await page.getByRole('button', { name: `Abrir como ${person.name}` }).click();
  await page.getByRole('button', { name: 'Já paguei' }).click();
  const dialog = page.getByRole('dialog', { name: 'Já paguei' });
  await dialog.getByLabel('Data do pagamento').fill(dayFromNow(1));
  await dialog.getByRole('button', { name: 'Informar pagamento' }).click();
  await expect(dialog.getByText('A data do pagamento está no futuro.')).toBeVisible();
  await dialog.getByLabel('Data do pagamento').fill(dayFromNow(-1));
  await dialog.getByLabel('Comprovante').setInputFiles(pdfFile('pago.pdf', Buffer.from('%PDF-1.4\n%%EOF\n')));
  await expect(dialog.getByText('pago.pdf')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Informar pagamento' }).click();
  const paid = page.getByText(`Você informou o pagamento em ${formatDay(dayFromNow(-1))}.`);
  await expect(paid).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copiar código de barras' })).toHaveCount(0);
  // The lists do not call it due any more.
  for (const list of ['/', '/documents/faturas']) {
    await page.goto(list);
    await expect(page.getByRole('link', { name: /^FGTS de outubro/ })).toContainText('Pago');
  }

  await expectReport(page, app, { id, person });
  await openClient(page, person, id);
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await expect(page.getByText('Pagamento desfeito')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Já paguei' })).toBeVisible();
  expect(await unwrap(app.admin.from('document_payments').select('id').eq('document_id', id))).toEqual([]);
});

test('payment › a due date on a Sunday says until when to pay', async ({ page, app }) => {
  const person = await app.newClient('Domingas Prazo');
  const sunday = dayFromNow(7 - new Date(`${dayFromNow(0)}T12:00:00Z`).getUTCDay());
  const id = await seedDocument(app, person, {
    name: 'DAS do domingo',
    expires: sunday,
    paymentLine: LINE,
  });
  const category = app.admin.from('documents').update({ category: 'das' }).eq('id', id);
  await expectOk(category);
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  const note = page.getByText(/é (domingo|feriado \(.+\))\. O prazo prorroga: pague até \d\d\/\d\d\/\d{4}\./);
  await expect(note).toBeVisible();
  await expectAccessible(page);
});

test('payment › an expired slip leads to a ticket about it', async ({ page, app }) => {
  const person = await app.newClient('Otto Vencido');
  const due = dayFromNow(-3);
  const id = await seedDocument(app, person, { name: 'ISS de outubro', expires: due, paymentLine: LINE });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  await page.getByRole('link', { name: 'Pedir guia atualizada' }).click();
  await expect(page.getByLabel('Assunto')).toHaveValue('Guia atualizada: ISS de outubro');
  await expect(page.getByLabel('Mensagem')).toHaveValue(
    `Preciso da guia atualizada de “ISS de outubro”, com vencimento em ${formatDay(due)}.`,
  );
  await expect(page.getByRole('link', { name: 'ISS de outubro' })).toBeVisible();
  // An untouched form is no draft.
  await page.getByRole('link', { name: 'Cancelar' }).click();
  await page.getByRole('link', { name: 'Novo Ticket' }).first().click();
  await expect(page.getByLabel('Assunto')).toHaveValue('');
  await page.goto(`/tickets/new?documento=${id}`);
  await page.getByRole('button', { name: 'Enviar Ticket' }).click();
  await expect(page.getByText('Ticket criado')).toBeVisible();
  await page
    .getByRole('link', { name: /Ver detalhes/ })
    .first()
    .click();
  await expect(page.getByRole('link', { name: 'ISS de outubro', exact: true })).toHaveAttribute(
    'href',
    `/documents/view/${id}`,
  );
  const tickets = await unwrap(
    app.admin.from('tickets').select('document_id,category').eq('user_id', person.id),
  );
  expect(tickets).toEqual([{ document_id: id, category: 'billing' }]);
});

test('payment › staff withdraw a report that was a mistake', async ({ page, app }) => {
  const person = await app.newClient('Quita Engano');
  const id = await seedDocument(app, person, { name: 'DAS de setembro', paymentLine: LINE });
  await unwrap(
    app.admin
      .from('document_payments')
      .insert({ document_id: id, paid_on: dayFromNow(-1) })
      .select('id'),
  );
  await openSession(page);
  await page.goto(`/admin/documents/view/${id}`);
  await expect(page.getByText('Pago, segundo o cliente')).toBeVisible();
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desfazer' }).click();
  await expect(page.getByText('Pagamento desfeito')).toBeVisible();
  await expect(page.getByText('Pago, segundo o cliente')).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Linha do tempo' })).toContainText(
    'Pagamento informado desfeito',
  );
  expect(await unwrap(app.admin.from('document_payments').select('id').eq('document_id', id))).toEqual([]);
});

test('payment › the download button of a phone stays in view, above the page', async ({ page, app }) => {
  const person = await app.newClient('Pia Telefone');
  const id = await seedDocument(app, person, { name: 'DAS', expires: dayFromNow(5), paymentLine: LINE });
  await page.setViewportSize({ width: 390, height: 844 });
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
  const [amount, download] = [
    page.getByText('R$ 143,59'),
    page.getByRole('button', { name: 'Baixar', exact: true }),
  ];
  await expect(amount).toBeInViewport();
  await expect(download).toBeInViewport();
  await page.getByRole('heading', { name: 'Ações', exact: true }).scrollIntoViewIfNeeded();
  await expect(download).toBeInViewport();
  // On paper the amount stays, and no button.
  await page.emulateMedia({ media: 'print' });
  await expect(amount).toBeVisible();
  await expect(page.getByRole('button', { name: 'Já paguei' })).toBeHidden();
});

/** The office's document page and list show the payment. */
async function expectReport(
  page: Page,
  app: TestApp,
  { id, person }: { id: string; person: Person },
): Promise<void> {
  const [payment] = await unwrap(
    app.admin.from('document_payments').select('paid_on,client_id').eq('document_id', id),
  );
  expect(payment).toEqual({ paid_on: dayFromNow(-1), client_id: person.id });
  await openSession(page);
  await page.goto(`/admin/documents/view/${id}`);
  await expect(page.getByText('Pago, segundo o cliente')).toBeVisible();
  await page.getByRole('link', { name: 'Comprovante: FGTS de outubro' }).click();
  await expect(page.getByText('pago.pdf')).toBeVisible();
  await expect(page.getByRole('link', { name: 'FGTS de outubro', exact: true })).toHaveAttribute(
    'href',
    `/admin/documents/view/${id}`,
  );
  await page.goto('/admin/documents');
  const filter = page.getByRole('combobox', { name: 'Pagamento' });
  await filter.selectOption('Pagos');
  await expect(page.getByRole('link', { name: 'FGTS de outubro' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'GPS de outubro' })).toHaveCount(0);
  await filter.selectOption('A pagar');
  await expect(page.getByRole('link', { name: 'GPS de outubro' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'FGTS de outubro' })).toHaveCount(0);
  // A withdrawn document is not to be paid.
  const open = await unwrap(app.admin.from('documents').select('id').eq('name', 'GPS de outubro'));
  await expectOk(app.admin.rpc('withdraw_documents', { documents: open.map((row) => row.id) }));
  await expect(page.getByRole('link', { name: 'GPS de outubro' })).toHaveCount(0);
  const { count } = await expectOk(
    app.admin.from('activity').select('*', { count: 'exact', head: true }).eq('event', 'payment.reported'),
  );
  expect(count).toBeGreaterThan(0);
}

async function openClient(page: Page, person: Person, id: string): Promise<void> {
  await openSession(page, person);
  await page.goto(`/documents/view/${id}`);
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Decodes the QR code on the page. The image consists of squares of one unit. */
async function readQrCode(page: Page): Promise<string | undefined> {
  const image = page.getByRole('img', { name: 'QR code do Pix' });
  const size = Number((await image.getAttribute('viewBox'))?.split(' ')[2]);
  const path = (await image.locator('path').getAttribute('d')) ?? '';
  const scale = 4;
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      for (let column = 0; column < scale; column++) {
        const at = ((Number(y) * scale + row) * size * scale + Number(x) * scale + column) * 4;
        pixels.fill(0, at, at + 3);
      }
    }
  }
  return jsQR(pixels, size * scale, size * scale)?.data;
}
