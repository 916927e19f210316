// What the dashboard says of the backups (security §6).

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, type Page } from '@playwright/test';

import { startPortaria } from '../fixtures/server.ts';
import { signInAsAdmin, test } from '../fixtures/test.ts';

const card = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Backup' }) });

test('an office without a target is told so calmly', async ({ page }) => {
  await signInAsAdmin(page);
  await expect(card(page)).toContainText('Sem backup automático');
  await expect(card(page)).toContainText('Nenhum destino foi definido.');
});

test('the dashboard tells of the first backup, of its rehearsal, and of what goes wrong', async ({
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'portaria-backup-'));
  const to = join(folder, 'backups');
  const portaria = await startPortaria({ settings: { PORTARIA_BACKUP_TO: to } });
  const page = await browser.newPage({ baseURL: portaria.url, timezoneId: 'America/Sao_Paulo' });
  try {
    await signInAsAdmin(page);
    await expect(card(page)).toContainText('Ainda não há backup');
    await expect(card(page)).toContainText('O primeiro será feito às 03:00.');

    const nightFalls = async () => {
      await portaria.stopServer();
      portaria.execSql(
        "UPDATE facts SET value = '2020-01-01T06:00:00.000000+00:00' WHERE name = 'backup due'",
      );
      await portaria.startServer();
    };
    const says = async (words: string) => {
      await expect(async () => {
        await page.reload();
        await expect(card(page)).toContainText(words, { timeout: 1_000 });
      }).toPass();
    };
    await nightFalls();
    await says('Backup em dia');
    await says('Restauração ensaiada');
    await expect(card(page)).toContainText(/Último backup: \d\d\/\d\d\/\d{4}/);
    await expect(card(page)).toContainText('sem cifra: só o banco');

    // The disk is gone, and where it was there is something else.
    await rm(to, { recursive: true });
    await writeFile(to, 'nada');
    portaria.allowLogError('the backup failed');
    await nightFalls();
    await says('O último backup falhou');
    await expect(card(page)).toContainText('O destino do backup não está acessível.');
    await expect(card(page)).toContainText('Último backup:');

    await rm(to);
    await mkdir(to);
    await nightFalls();
    await says('Backup em dia');
  } finally {
    await page.close();
    await portaria.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
