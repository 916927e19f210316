// Measures the most visited screens with Lighthouse, as a phone on a slow network and as a desktop, and the interactions
// of all screens. Run it on an otherwise idle machine. It prints all results and fails if one is beyond its limit.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium, type Page } from '@playwright/test';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig, type Result } from 'lighthouse';

import { CHROMIUM } from '../fixtures/chromium.ts';
import { type Portaria, startPortaria } from '../fixtures/server.ts';
import { signInAsClient } from '../fixtures/test.ts';
import { createPerson, signIn } from '../helpers/api.ts';
import { seedDocuments } from '../helpers/documents.ts';
import { DEMO_ADMIN, DEMO_CLIENT, listScreens } from '../helpers/screens.ts';
import { addTickets } from '../helpers/tickets.ts';
import { measureInteractions } from './interactions.ts';

const MIN_SCORES = { performance: 95, accessibility: 100, 'best-practices': 100 };
/** The median of the visits counts, since other work on the machine disturbs single measurements. */
const VISITS = 5;
const SCREENS = ['login', 'client-home', 'client-documents', 'client-document'];
const DOCUMENTS = 5_000;
const TICKETS = 2_000;
/** Maximum time until the first row shows, in milliseconds, with all documents and tickets. */
const MAX_FIRST_CONTENT_MS = 1_000;
const DEVICES = { phone: undefined, desk: desktopConfig };
/** CPU reserved for the page, as on a phone. Lighthouse and the server use the others. */
const PAGE_CPU = availableParallelism() - 1;
const ISOLATION_FLAGS = [
  '--headless',
  '--no-sandbox',
  ...(PAGE_CPU > 0 ? [`--renderer-cmd-prefix=taskset --cpu-list ${PAGE_CPU}`] : []),
  // Chromium prepares a spare process for the next page, which would start during the measurement.
  '--disable-features=SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter',
];

const failures = await withDemo((demo) =>
  withProfile((profile) => inBrowser(demo, profile, measureFirstContent)),
);
failures.push(...(await withDemo(measureInteractions)));
avoidPageCpu();
failures.push(...(await withDemo(measureScores)));
if (failures.length > 0) {
  throw new Error(`Beyond the limits:\n${failures.join('\n')}`);
}

async function withDemo<T>(work: (demo: Portaria) => Promise<T>): Promise<T> {
  const demo = await startPortaria({ demo: true });
  try {
    return await work(demo);
  } finally {
    await demo.stop();
  }
}

/** A browser profile on disk, so that the session outlives the browser. */
async function withProfile<T>(work: (profile: string) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'portaria-lighthouse-'));
  try {
    return await work(profile);
  } finally {
    // The browser's processes may still be writing to the folder.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Runs work in a browser with this profile, before a measured visit. */
async function inBrowser<T>(
  demo: Portaria,
  profile: string,
  work: (page: Page, demo: Portaria) => Promise<T>,
): Promise<T> {
  const browser = await chromium.launchPersistentContext(profile, {
    ...CHROMIUM.context,
    ...CHROMIUM.launch,
    baseURL: demo.url,
  });
  try {
    const [page = await browser.newPage()] = browser.pages();
    return await work(page, demo);
  } finally {
    await browser.close();
  }
}

/**
 * Measures how soon the first rows show for a client with thousands of rows, on repeated visits. Returns the
 * screens above the limit.
 */
async function measureFirstContent(page: Page, demo: Portaria): Promise<string[]> {
  const admin = await signIn(demo, DEMO_ADMIN);
  const owner = await createPerson(demo, admin, 'Rosa Benevides', 'rosa@benevides.com.br');
  const names = Array.from({ length: DOCUMENTS }, (_, at) => `Comprovante de pagamento ${at}`);
  await seedDocuments({ admin }, owner, names);
  for (let first = 0; first < TICKETS; first += 500) {
    const tickets = Array.from({ length: 500 }, (_, at) => ({ subject: `Dúvida ${first + at}` }));
    await addTickets(demo, owner, tickets);
  }
  await signInAsClient(page, owner);
  const slowScreens: string[] = [];
  for (const [path, first] of [
    ['/', page.getByText('5.000')],
    ['/documents/contratos', page.getByRole('main').getByRole('listitem').first()],
    ['/tickets', page.getByRole('article').first()],
    ['/calendar', page.getByRole('gridcell').first()],
  ] as const) {
    const times: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      await page.goto('about:blank');
      const start = performance.now();
      await page.goto(path, { waitUntil: 'commit' });
      await first.waitFor();
      times.push(performance.now() - start);
    }
    const median = Math.round(times.toSorted((a, b) => a - b)[2] ?? 0);
    process.stdout.write(`${path.padEnd(26)}  first content after ${median} ms\n`);
    if (median >= MAX_FIRST_CONTENT_MS) slowScreens.push(`${path}: first content after ${median} ms`);
  }
  return slowScreens;
}

/** Restricts this process, and the processes that it starts, to the other CPUs. */
function avoidPageCpu(): void {
  if (PAGE_CPU === 0) return;
  const others = `0-${PAGE_CPU - 1}`;
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', others, String(process.pid)]);
}

/** Measures the scores of each screen. Returns those below the minimum. */
async function measureScores(demo: Portaria): Promise<string[]> {
  const { guest, client } = await listScreens(demo);
  const lowScores: string[] = [];
  for (const screen of [...guest, ...client].filter(({ name }) => SCREENS.includes(name))) {
    for (const [device, config] of Object.entries(DEVICES)) {
      const name = `${screen.name}, ${device}`;
      const visits: Result[] = [];
      for (let visit = 0; visit < VISITS; visit += 1) {
        const result = await withProfile(async (profile) => {
          if (client.includes(screen)) {
            await inBrowser(demo, profile, (page) => signInAsClient(page, DEMO_CLIENT));
          }
          return runLighthouse(name, new URL(screen.path, demo.url), profile, config);
        });
        visits.push(result);
      }
      lowScores.push(...reportScores(name, visits));
    }
  }
  return lowScores;
}

/**
 * Runs Lighthouse in a new browser of its own. In a used browser, the cleanup of earlier pages disturbs the
 * measurement. A second debugger such as Playwright receives every event and costs time.
 */
async function runLighthouse(
  name: string,
  address: URL,
  profile: string,
  config: typeof desktopConfig | undefined,
): Promise<Result> {
  const browser = await launch({
    chromePath: CHROMIUM.launch.executablePath,
    userDataDir: profile,
    chromeFlags: [...CHROMIUM.launch.args, ...ISOLATION_FLAGS],
    envVars: { ...process.env, LANGUAGE: CHROMIUM.context.locale, TZ: CHROMIUM.context.timezoneId },
    logLevel: 'silent',
  });
  try {
    const options = {
      port: browser.port,
      onlyCategories: Object.keys(MIN_SCORES),
      // The visit keeps the session and the shell that the service worker cached.
      disableStorageReset: true,
    };
    const result = (await lighthouse(address.href, options, config))?.lhr;
    if (!result || result.runtimeError) {
      throw new Error(`${name} could not be measured: ${result?.runtimeError?.message}`);
    }
    if (new URL(result.finalDisplayedUrl).pathname !== address.pathname) {
      throw new Error(`${name} led to ${result.finalDisplayedUrl}`);
    }
    return result;
  } finally {
    browser.kill();
  }
}

/** Prints the scores of the visits. Returns those below the minimum. */
function reportScores(name: string, visits: readonly Result[]): string[] {
  const scored = Object.entries(MIN_SCORES).map(([id, minimum]) => {
    const ordered = visits.toSorted((a, b) => scoreOf(a, id) - scoreOf(b, id));
    const median = ordered[Math.floor(ordered.length / 2)];
    const [lowest, highest] = [ordered.at(0), ordered.at(-1)];
    if (!median || !lowest || !highest) throw new Error(`${name} was not visited`);
    const range = [scoreOf(lowest, id), scoreOf(highest, id)].join('–');
    return { id, minimum, median, summary: `${id} ${scoreOf(median, id)} (${range})` };
  });
  const fastest = scored.map(({ median }) => median)[0];
  const times = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ].map((id) => `${fastest?.audits[id]?.title} ${fastest?.audits[id]?.displayValue}`);
  process.stdout.write(
    [name.padEnd(26), ...scored.map(({ summary }) => summary), ...times].join('  ') + '\n',
  );
  return scored
    .filter(({ id, minimum, median }) => scoreOf(median, id) < minimum)
    .map(({ id, median, summary }) => `${name}: ${summary}${failedAudits(median, id)}`);
}

function scoreOf(result: Result, category: string): number {
  return Math.round((result.categories[category]?.score ?? 0) * 100);
}

/** The audits that lower a category's score. */
function failedAudits({ categories, audits }: Result, category: string): string {
  const costs = (categories[category]?.auditRefs ?? []).filter(
    ({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1,
  );
  return costs.map(({ id }) => `\n  ${audits[id]?.title} ${audits[id]?.displayValue ?? ''}`).join('');
}
