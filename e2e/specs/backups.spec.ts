// State of the backups on the dashboard.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, type Page } from '@playwright/test';

import { startPortaria } from '../fixtures/server.ts';
import { signInAsAdmin, test } from '../fixtures/test.ts';

const card = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Backup' }) });

test('backup card › shows that no target is set', async ({ page }) => {
  await signInAsAdmin(page);
  await expect(card(page)).toContainText('Sem backup automático');
  await expect(card(page)).toContainText('Nenhum destino foi definido.');
});

test('backup card › shows the first backup, its restore test and a failure', async ({ browser }) => {
  const folder = await mkdtemp(join(tmpdir(), 'portaria-backup-'));
  const target = join(folder, 'backups');
  const portaria = await startPortaria({ settings: { PORTARIA_BACKUP_TO: target } });
  const page = await browser.newPage({ baseURL: portaria.url, timezoneId: 'America/Sao_Paulo' });
  try {
    await signInAsAdmin(page);
    await expect(card(page)).toContainText('Ainda não há backup');
    await expect(card(page)).toContainText('O primeiro será feito às 03:00.');

    const runScheduledBackup = async () => {
      await portaria.stopServer();
      portaria.execSql(
        "UPDATE system_state SET value = '2020-01-01T06:00:00.000000+00:00' WHERE name = 'backup due'",
      );
      await portaria.startServer();
    };
    const expectCardText = async (text: string) => {
      await expect(async () => {
        await page.reload();
        await expect(card(page)).toContainText(text, { timeout: 1_000 });
      }).toPass();
    };
    await runScheduledBackup();
    await expectCardText('Backup em dia');
    await expectCardText('Restauração ensaiada');
    await expect(card(page)).toContainText(/Último backup: \d\d\/\d\d\/\d{4}/);
    await expect(card(page)).toContainText('sem cifra: só o banco');

    // A file takes the place of the backup folder.
    await rm(target, { recursive: true });
    await writeFile(target, 'nada');
    portaria.allowLogError('the backup failed');
    await runScheduledBackup();
    await expectCardText('O último backup falhou');
    await expect(card(page)).toContainText('O destino do backup não está acessível.');
    await expect(card(page)).toContainText('Último backup:');

    await rm(target);
    await mkdir(target);
    await runScheduledBackup();
    await expectCardText('Backup em dia');
  } finally {
    await page.close();
    await portaria.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
