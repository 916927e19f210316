import { defineConfig } from '@playwright/test';

import { CHROMIUM } from '../chromium.ts';

export default defineConfig({
  testDir: '.',
  outputDir: '../../target/browser-tests',
  forbidOnly: true,
  reporter: 'list',
  // Bounds for a slow machine; nothing waits for them where the answer comes.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  workers: 2,
  use: {
    ...CHROMIUM.context,
    // Only `offline.spec.ts` is about it; elsewhere it would fetch the shell once for each test.
    serviceWorkers: 'block',
    launchOptions: CHROMIUM.launch,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
  },
});
