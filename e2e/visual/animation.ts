// Makes the animation of the main job for the README: guias are dropped, recognized and published, and a client pays.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium, expect, type Locator, type Page } from '@playwright/test';

import { CHROMIUM } from '../fixtures/chromium.ts';
import { createTestApp, signInAsAdmin, signInAsClient } from '../fixtures/test.ts';
import { expectOk, serviceClient } from '../helpers/api.ts';
import { createClientWithTaxId } from '../helpers/clients.ts';
import { dayFromNow, formatDay } from '../helpers/clock.ts';
import { pdfWithText } from '../helpers/pdf.ts';
import { pdfFile } from '../helpers/upload.ts';
import { type Frame, joinFrames } from './apng.ts';

const FILE = join(import.meta.dirname, '../../docs/pictures/main-job.png');
/** Maximum size of the animation, which each clone of the repository fetches. */
const MAX_BYTES = 1_500_000;
const SIZE = { width: 1280, height: 800 };
/** Time until a publication at once, with that of its job. */
const PUBLICATION_MS = 90_000;
const PAYER = 'Padaria Aurora Ltda.';
const CLIENTS = [
  { name: PAYER, taxId: '11222333000181', printed: '11.222.333/0001-81' },
  { name: 'Clínica Viva Bem', taxId: '11444777000161', printed: '11.444.777/0001-61' },
  { name: 'Mercadinho São José', taxId: '45997418000153', printed: '45.997.418/0001-53' },
];
/** A slip of 143.59 reais. */
const LINE = '84670000001-7 43590024020-9 02405000243-5 84221010811-9';

const frames: Frame[] = [];
const app = await createTestApp();
const browser = await chromium.launch(CHROMIUM.launch);
try {
  const folder = { id_supabase: 'guias', name: 'Guias', kind: 'fatura' } as const;
  await expectOk(app.admin.from('folders').insert(folder));
  const notice = { document_type_event: 'fatura_new', enabled: true } as const;
  await expectOk(serviceClient(app.portaria).from('email_notification_settings').upsert(notice));
  const [payer] = await Promise.all(
    CLIENTS.map(({ name, taxId }) => createClientWithTaxId(app, name, taxId)),
  );
  if (!payer) throw new Error('There is no client.');
  const options = { ...CHROMIUM.context, baseURL: app.portaria.url, viewport: SIZE };
  const context = { ...options, colorScheme: 'light', reducedMotion: 'reduce' } as const;
  const office = await (await browser.newContext(context)).newPage();
  await publish(office);
  const client = await (await browser.newContext(context)).newPage();
  await client.context().grantPermissions(['clipboard-write']);
  await signInAsClient(client, payer);
  await pay(client);
  await verify(office);

  const animation = joinFrames(frames);
  if (animation.length > MAX_BYTES) throw new Error(`The animation has ${animation.length} bytes.`);
  await writeFile(FILE, animation);
} finally {
  await browser.close();
  await app.portaria.stop();
}

async function publish(page: Page): Promise<void> {
  await signInAsAdmin(page);
  await page.goto('/admin/documents/bulk');
  await page.getByRole('heading', { level: 1, name: 'Caixa de entrada' }).waitFor();
  await add(page, 'Solte aqui as guias de todos os clientes', 3);
  const files = CLIENTS.map(async ({ printed }, at) => pdfFile(`guia ${at + 1}.pdf`, await das(printed)));
  await page.getByLabel('Arquivos', { exact: true }).setInputFiles(await Promise.all(files));
  const group = page.getByRole('group', { name: 'Grupo' });
  await expect(group).toContainText(`Reconhecidos ${CLIENTS.length}`, { timeout: PUBLICATION_MS });
  await expect(page.getByRole('row')).toHaveCount(CLIENTS.length + 1);
  await add(page, 'O portal lê cliente, tipo, mês, vencimento e valor', 5);
  await page.getByRole('checkbox', { name: 'Selecionar todos' }).check();
  const publishAll = page.getByRole('button', { name: `Publicar ${CLIENTS.length}` });
  await add(page, 'Uma pessoa confere e publica tudo de uma vez', 3, publishAll);
  await publishAll.click();
  const now = page.getByRole('dialog').getByRole('button', { name: 'Publicar agora' });
  await add(page, 'Antes de publicar, vê quem recebe', 3, now);
  await now.click();
  await page.getByRole('button', { name: 'Desfazer' }).waitFor();
  await add(page, 'Por um minuto, ainda é possível desfazer', 3);
  await expect(group).toContainText(`Publicados ${CLIENTS.length}`, { timeout: PUBLICATION_MS });
}

async function pay(page: Page): Promise<void> {
  const slip = page.getByRole('link', { name: /DAS/ }).first();
  await add(page, 'O cliente é avisado e vê o que vence', 4, slip);
  await slip.click();
  const copy = page.getByRole('button', { name: 'Copiar código de barras' });
  await copy.waitFor();
  await page.waitForLoadState('networkidle');
  await add(page, 'Abre a guia e copia o código', 4, copy);
  await copy.click();
  await page.getByText('Código de barras copiado').waitFor();
  const paid = page.getByRole('button', { name: 'Já paguei' });
  await add(page, 'Paga no banco e avisa', 3, paid);
  await paid.click();
  const report = page.getByRole('dialog').getByRole('button', { name: 'Informar pagamento' });
  await add(page, 'Se quiser, junta o comprovante', 3, report);
  await report.click();
  await page.getByText(/^Você informou o pagamento/).waitFor();
  await add(page, 'Pronto', 3);
}

async function verify(page: Page): Promise<void> {
  await page.goto('/admin/documents');
  await page.getByRole('row', { name: PAYER }).getByRole('link').click();
  const timeline = page.getByRole('heading', { name: 'Linha do tempo' });
  await timeline.waitFor();
  await page.waitForLoadState('networkidle');
  // With the payment beside it.
  await timeline.evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 230));
  await add(page, 'O escritório vê quem abriu e quem informou o pagamento', 5);
}

function das(taxId: string): Promise<Buffer> {
  return pdfWithText(
    [
      'Documento de Arrecadação do Simples Nacional - DAS',
      `CNPJ: ${taxId}`,
      `Período de Apuração: ${formatDay(dayFromNow(0)).slice(3)}`,
      `Data de Vencimento: ${formatDay(dayFromNow(5))}`,
      'Valor Total do Documento: 143,59',
      LINE,
    ].join('\n'),
  );
}

/** Adds a picture of the page with a caption, and a ring around the control that is used next. */
async function add(page: Page, caption: string, seconds: number, next?: Locator): Promise<void> {
  await page.evaluate((text) => {
    const box = document.createElement('div');
    box.id = 'caption';
    box.textContent = text;
    box.style.cssText =
      'position:fixed;top:0;left:50%;translate:-50% 0;z-index:99;padding:8px 24px;border-radius:0 0 8px 8px;' +
      'background:#d9822b;color:#171c22;font-size:22px;font-weight:600;white-space:nowrap';
    document.body.append(box);
  }, caption);
  const ring = (style: string) =>
    next?.evaluate((element: HTMLElement, outline) => void (element.style.outline = outline), style);
  await ring('4px solid #d9822b');
  frames.push({ png: await page.screenshot(), milliseconds: seconds * 1000 });
  await ring('');
  await page.evaluate(() => document.querySelector('#caption')?.remove());
}
