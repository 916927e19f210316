import { defineConfig } from '@playwright/test';

import { CHROMIUM } from '../chromium.ts';

export default defineConfig({
  testDir: '.',
  outputDir: '../../target/browser-tests',
  forbidOnly: true,
  reporter: 'list',
  timeout: 60_000,
  workers: 2,
  use: {
    ...CHROMIUM.context,
    launchOptions: CHROMIUM.launch,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
  },
});
