import { readdirSync } from 'node:fs';
import path from 'node:path';

import { defineConfig } from '@playwright/test';

import { CHROMIUM } from './fixtures/chromium.ts';

/** The longest specs. They come first, and the tests of `SPREAD` are spread over all workers. */
const SPREAD = ['app/accessibility.spec.ts', 'app/appearance.spec.ts'];
const LONG = [...SPREAD, 'journeys/firefox.spec.ts', 'journeys/office-month.spec.ts'];

const specs = readdirSync(path.join(import.meta.dirname, 'specs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.spec.ts'))
  .toSorted();

export default defineConfig({
  testDir: 'specs',
  outputDir: '../target/browser-tests',
  forbidOnly: true,
  reporter: 'list',
  // Limits for a slow machine. Passing tests do not wait for them.
  timeout: 180_000,
  expect: {
    timeout: 15_000,
    toHaveScreenshot: { threshold: 0.02, maxDiffPixels: 50 },
  },
  snapshotPathTemplate: 'visual/baseline/{arg}{ext}',
  // More than the two processors: a worker often waits for a timer of the app.
  workers: 3,
  // Workers are never shared by two projects, so each spec has servers of its own and depends on no other spec.
  projects: [...new Set([...LONG, ...specs])].map((file) => ({
    name: file.replace('.spec.ts', ''),
    testMatch: `**/specs/${file}`,
    fullyParallel: SPREAD.includes(file),
  })),
  use: {
    ...CHROMIUM.context,
    // Only `offline.spec.ts` and `stale-release.spec.ts` test it. Elsewhere it would fetch the shell once for each
    // test.
    serviceWorkers: 'block',
    launchOptions: CHROMIUM.launch,
    // Half-faded texts have too little contrast: checks of accessibility must see the end of each transition.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
});
