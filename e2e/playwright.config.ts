import { defineConfig } from '@playwright/test';

import { CHROMIUM } from './fixtures/chromium.ts';

const ACCESSIBILITY = 'app/accessibility.spec.ts';
const APPEARANCE = 'app/appearance.spec.ts';
/** Drives Firefox by itself. */
const FIREFOX = 'journeys/firefox.spec.ts';
/** Tests that insert thousands of rows first. */
const SLOW = /@slow/;

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
  projects: [
    // The longest tests come first, each on its own worker.
    { name: 'screens', testMatch: [ACCESSIBILITY, APPEARANCE], fullyParallel: true },
    { name: 'chromium', testIgnore: [ACCESSIBILITY, APPEARANCE, FIREFOX], grepInvert: SLOW },
    { name: 'firefox', testMatch: FIREFOX },
    { name: 'slow', grep: SLOW },
  ],
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
