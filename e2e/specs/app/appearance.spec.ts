// Appearance of the main screens: each looks as its picture in `visual/baseline`, in two sizes and both themes.
// `cargo xtask shots --baseline` renews the pictures. A change of a picture is reviewed like a change of code.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, type Page } from '@playwright/test';

import { type Portaria, startPortaria } from '../../fixtures/server.ts';
import { shiftClock } from '../../fixtures/shifted-clock.ts';
import { signInAsAdmin, signInAsClient, test as base } from '../../fixtures/test.ts';
import { present, signIn, unwrap } from '../../helpers/api.ts';
import { DEMO_ADMIN, DEMO_CLIENT, listScreens, type Screen } from '../../helpers/screens.ts';

/** When the demo office opens. Its dates, and with them the pictures, depend on it. */
const OPENED = new Date('2026-03-18T10:00:00-03:00');
/** The time that the browser shows. */
const NOW = new Date('2026-03-18T10:05:00-03:00');

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Both sizes, and the dark theme in the size that people of the area use most: a theme changes only colors. */
const VIEWS = {
  portal: [
    { size: DESKTOP, theme: 'light' },
    { size: PHONE, theme: 'light' },
    { size: PHONE, theme: 'dark' },
  ],
  office: [
    { size: DESKTOP, theme: 'light' },
    { size: DESKTOP, theme: 'dark' },
    { size: PHONE, theme: 'light' },
  ],
} as const;

const VERSION_FILE = join(import.meta.dirname, '../../visual/baseline/chromium.txt');

const SCREENS = {
  guest: ['login'],
  client: [
    'client-home',
    'client-documents',
    'client-document',
    'client-calendar',
    'client-tickets',
    'client-ticket',
    'client-profile',
  ],
  admin: [
    'admin-dashboard',
    'admin-clients',
    'admin-client',
    'admin-documents',
    'admin-document',
    'admin-inbox',
    'admin-unopened',
    'admin-ticket',
    'admin-requests-month',
    'admin-settings',
    'admin-email-template-new',
  ],
};

// Each test has an office of its own, because the visits of one change what the other shows.
const test = base.extend<{ office: Portaria }>({
  office: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const office = await startPortaria({ demo: true, settings: await shiftClock(OPENED) });
      await completeOffice(office);
      await provide(office);
      await office.stop();
    },
    { timeout: 60_000 },
  ],
  baseURL: ({ office }, provide) => provide(office.url),
  page: async ({ page }, provide) => {
    await page.clock.setFixedTime(NOW);
    // Glyphs at exact positions: Chromium and its headless shell round them differently.
    await page.addInitScript(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('* { text-rendering: geometricPrecision }');
      document.adoptedStyleSheets.push(sheet);
    });
    await provide(page);
  },
});

test('appearance › portal', async ({ page, office }) => {
  const { guest, client } = await listScreens(office);
  await expectAppearance(page, 'portal', guest, SCREENS.guest);
  await signInAsClient(page, DEMO_CLIENT);
  await expectAppearance(page, 'portal', client, SCREENS.client);
});

test('appearance › back office', async ({ page, office }) => {
  const { admin } = await listScreens(office);
  await signInAsAdmin(page, DEMO_ADMIN);
  const inbox = { name: 'admin-inbox', path: '/admin/documents/bulk' };
  await expectAppearance(page, 'office', [...admin, inbox], SCREENS.admin);
});

async function expectAppearance(
  page: Page,
  area: keyof typeof VIEWS,
  screens: readonly Screen[],
  names: readonly string[],
): Promise<void> {
  const { message, tolerance } = comparisonIn(page);
  for (const name of names) {
    const { path, act } = present(screens.find((screen) => screen.name === name));
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await act?.(page);
    for (const { size, theme } of VIEWS[area]) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      // The theme is applied in the next frame. The picture is taken at the end of all transitions.
      await page.evaluate(() => new Promise(requestAnimationFrame));
      await expect.soft(page, message).toHaveScreenshot(`${name}-${size.width}-${theme}.png`, tolerance);
    }
  }
}

/** Another major version of the browser draws shapes a little differently: only moved or lost parts count then. */
const COARSE = { threshold: 0.2, maxDiffPixels: 20_000 };

/** The tolerance, and a message with each difference, whose cause may be the browser. */
function comparisonIn(page: Page) {
  const current = page.context().browser()?.version().split('.')[0] ?? 'unknown';
  if (test.info().config.updateSnapshots === 'all') {
    mkdirSync(dirname(VERSION_FILE), { recursive: true });
    writeFileSync(VERSION_FILE, `${current}\n`);
  }
  const recorded = readFileSync(VERSION_FILE, 'utf8').trim();
  if (recorded === current) {
    return { message: `the screen looks as its picture in Chromium ${current}`, tolerance: {} };
  }
  const message =
    `The pictures were taken by Chromium ${recorded}, and this is Chromium ${current}. ` +
    'If the screens look right, renew the pictures: cargo xtask shots --baseline';
  return { message, tolerance: COARSE };
}

const rowId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** Adds what the demo lacks: requests, and files of the inbox. Ids that screens show become equal on each run. */
async function completeOffice(office: Portaria): Promise<void> {
  const admin = await signIn(office, DEMO_ADMIN);
  const { id: client } = await unwrap(
    admin.from('clients').select('id').eq('email', DEMO_CLIENT.email).single(),
  );
  const folders = await unwrap(admin.from('folders').select('id_supabase').order('position').limit(1));
  const folder = folders[0]?.id_supabase;
  const at = OPENED.toISOString();
  const items = ['Extrato bancário', 'Notas de entrada', 'Folha de ponto'].map(
    (name, n) => `('${rowId(n)}', '${client}', '${name}', '2026-03', '2026-03-20', '${at}', '${at}')`,
  );
  const files = ['Guia DAS de fevereiro', 'Folha de pagamento', 'Certidão negativa de débitos'].map(
    (name, n) =>
      `('${rowId(n)}', '${name}.pdf', '${n}.pdf', ${(n + 1) * 45_000}, '${n}', 'application/pdf', 'upload', '${at}',
        '${at}', 'ready', 'recognized', '${client}', '${folder}', '${name}')`,
  );
  office.execSql(
    `INSERT INTO request_items (id, client_id, name, month, due_on, created_at, updated_at)
       VALUES ${items.join(', ')};
     INSERT INTO inbox_files (id, name, file_url, size, sha256, mime_type, source, created_at, updated_at, state,
       review_group, client_id, folder_id_supabase, document_name) VALUES ${files.join(', ')};
     PRAGMA foreign_keys = OFF;
     CREATE TEMP TABLE ids AS
       SELECT id AS old, substr(id, 1, 32) || printf('%04d', row_number() OVER (ORDER BY created_at, subject)) AS new
       FROM tickets;
     ${['tickets.id', 'ticket_history.ticket_id', 'ticket_messages.ticket_id']
       .map((name) => name.split('.'))
       .map(
         ([table, column]) => `UPDATE ${table} SET ${column} = (SELECT new FROM ids WHERE old = ${column});`,
       )
       .join('\n')}`,
  );
}
