// Takes the two pictures of the README, and every screen in three sizes and both themes for review.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium, type BrowserContextOptions, type Page } from '@playwright/test';

import { CHROMIUM } from '../fixtures/chromium.ts';
import { startPortaria } from '../fixtures/server.ts';
import { signInAsAdmin, signInAsClient } from '../fixtures/test.ts';
import { DEMO_ADMIN, DEMO_CLIENT, type Screen, listScreens } from '../helpers/screens.ts';

const ROOT = join(import.meta.dirname, '../..');
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 360, height: 740 },
];
const README_SCREENS = ['client-home', 'admin-documents'];

const demo = await startPortaria({ demo: true });
const browser = await chromium.launch(CHROMIUM.launch);
try {
  const screens = await listScreens(demo);
  for (const viewport of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const folder = join(ROOT, 'target/shots', `${viewport.width}x${viewport.height}-${colorScheme}`);
      const forReadme = viewport.width === 1440 && colorScheme === 'light';
      const options = { ...CHROMIUM.context, baseURL: demo.url, viewport, colorScheme };
      await takeScreenshots(options, screens.guest, folder, forReadme, () => Promise.resolve());
      await takeScreenshots(options, screens.client, folder, forReadme, (page) =>
        signInAsClient(page, DEMO_CLIENT),
      );
      await takeScreenshots(options, screens.admin, folder, forReadme, (page) =>
        signInAsAdmin(page, DEMO_ADMIN),
      );
    }
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function takeScreenshots(
  options: BrowserContextOptions,
  screens: readonly Screen[],
  folder: string,
  forReadme: boolean,
  signIn: (page: Page) => Promise<void>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await signIn(page);
  for (const { name, path, act } of screens) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    await act?.(page);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    if (forReadme && README_SCREENS.includes(name)) {
      await page.screenshot({ path: join(ROOT, 'docs/pictures', `${name}.png`) });
    }
  }
  await context.close();
}
