// What Lighthouse says of the screens that people meet first, as a phone on a slow network and as a desk sees them.
// It measures on a machine that does nothing else; what it finds fault with is written out, and fails the run.

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

const LEAST = { performance: 95, accessibility: 100, 'best-practices': 100 };
/** The middle one counts: what else the machine does meanwhile is not the page's. */
const VISITS = 5;
const SCREENS = ['login', 'client-home', 'client-documents', 'client-document'];
const DOCUMENTS = 5_000;
const TICKETS = 2_000;
/** Milliseconds, with all of these. */
const FIRST_CONTENT = 1_000;
const DEVICES = { phone: undefined, desk: desktopConfig };
/** A page has a processor of its own, as on a phone. What Lighthouse and the server do meanwhile is done by the others. */
const PAGES_PROCESSOR = availableParallelism() - 1;
const ALONE = [
  '--headless',
  '--no-sandbox',
  ...(PAGES_PROCESSOR > 0 ? [`--renderer-cmd-prefix=taskset --cpu-list ${PAGES_PROCESSOR}`] : []),
  // The process that Chromium keeps ready for the next page starts while this one is measured.
  '--disable-features=SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter',
];

const faults = await withDemo((demo) => withProfile((profile) => inBrowser(demo, profile, beginnings)));
stepAside();
faults.push(...(await withDemo(scores)));
if (faults.length > 0) {
  throw new Error(`Lighthouse finds fault:\n${faults.join('\n')}`);
}

async function withDemo<T>(work: (demo: Portaria) => Promise<T>): Promise<T> {
  const demo = await startPortaria({ demo: true });
  try {
    return await work(demo);
  } finally {
    await demo.stop();
  }
}

/** A person's browser as it lies on their disk: what they signed in to stays when it is closed. */
async function withProfile<T>(work: (profile: string) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'portaria-lighthouse-'));
  try {
    return await work(profile);
  } finally {
    // What is left of the browser may still be writing to it.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** As a person does what comes before a visit. */
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

/** How soon the first rows of a client with very much stand on the screen, on a visit that is not the first. */
async function beginnings(page: Page, demo: Portaria): Promise<string[]> {
  const admin = await signIn(demo, DEMO_ADMIN);
  const owner = await createPerson(demo, admin, 'Rosa Benevides', 'rosa@benevides.com.br');
  const names = Array.from({ length: DOCUMENTS }, (_, at) => `Comprovante de pagamento ${at}`);
  await seedDocuments({ admin }, owner, names);
  for (let first = 0; first < TICKETS; first += 500) {
    const tickets = Array.from({ length: 500 }, (_, at) => ({ subject: `Dúvida ${first + at}` }));
    await addTickets(demo, owner, tickets);
  }
  await signInAsClient(page, owner);
  const late: string[] = [];
  for (const [path, first] of [
    ['/', page.getByText('5.000')],
    ['/documents/contratos', page.getByRole('main').getByRole('listitem').first()],
    ['/tickets', page.getByRole('article').first()],
    ['/calendar', page.getByRole('gridcell').first()],
  ] as const) {
    const times: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      await page.goto('about:blank');
      const begun = performance.now();
      await page.goto(path, { waitUntil: 'commit' });
      await first.waitFor();
      times.push(performance.now() - begun);
    }
    const middle = Math.round(times.toSorted((a, b) => a - b)[2] ?? 0);
    process.stdout.write(`${path.padEnd(26)}  first content after ${middle} ms\n`);
    if (middle >= FIRST_CONTENT) late.push(`${path}: first content after ${middle} ms`);
  }
  return late;
}

/** From here on this program, and what it starts, leaves that processor alone. */
function stepAside(): void {
  if (PAGES_PROCESSOR === 0) return;
  const others = `0-${PAGES_PROCESSOR - 1}`;
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', others, String(process.pid)]);
}

/** What Lighthouse says of each screen. */
async function scores(demo: Portaria): Promise<string[]> {
  const { guest, client } = await listScreens(demo);
  const missed: string[] = [];
  for (const screen of [...guest, ...client].filter(({ name }) => SCREENS.includes(name))) {
    for (const [device, config] of Object.entries(DEVICES)) {
      const name = `${screen.name}, ${device}`;
      const visits: Result[] = [];
      for (let visit = 0; visit < VISITS; visit += 1) {
        const seen = await withProfile(async (profile) => {
          if (client.includes(screen)) {
            await inBrowser(demo, profile, (page) => signInAsClient(page, DEMO_CLIENT));
          }
          return look(name, new URL(screen.path, demo.url), profile, config);
        });
        visits.push(seen);
      }
      missed.push(...judge(name, visits));
    }
  }
  return missed;
}

/**
 * What Lighthouse sees in a browser that was just opened, and that it has to itself: one that has shown other pages clears up
 * after them meanwhile, and a second listener, as Playwright would be, is told of everything too and takes its time.
 */
async function look(
  name: string,
  address: URL,
  profile: string,
  config: typeof desktopConfig | undefined,
): Promise<Result> {
  const browser = await launch({
    chromePath: CHROMIUM.launch.executablePath,
    userDataDir: profile,
    chromeFlags: [...CHROMIUM.launch.args, ...ALONE],
    envVars: { ...process.env, LANGUAGE: CHROMIUM.context.locale, TZ: CHROMIUM.context.timezoneId },
    logLevel: 'silent',
  });
  try {
    const options = {
      port: browser.port,
      onlyCategories: Object.keys(LEAST),
      // The session is there to stay, and so is the shell that the first visit kept.
      disableStorageReset: true,
    };
    const seen = (await lighthouse(address.href, options, config))?.lhr;
    if (!seen || seen.runtimeError) {
      throw new Error(`${name} could not be measured: ${seen?.runtimeError?.message}`);
    }
    if (new URL(seen.finalDisplayedUrl).pathname !== address.pathname) {
      throw new Error(`${name} led to ${seen.finalDisplayedUrl}`);
    }
    return seen;
  } finally {
    browser.kill();
  }
}

/** Says what the visits came to, and returns what falls short. */
function judge(name: string, visits: readonly Result[]): string[] {
  const scored = Object.entries(LEAST).map(([id, least]) => {
    const ordered = visits.toSorted((a, b) => scoreOf(a, id) - scoreOf(b, id));
    const middle = ordered[Math.floor(ordered.length / 2)];
    const [lowest, highest] = [ordered.at(0), ordered.at(-1)];
    if (!middle || !lowest || !highest) throw new Error(`${name} was not visited`);
    const range = [scoreOf(lowest, id), scoreOf(highest, id)].join('–');
    return { id, least, middle, told: `${id} ${scoreOf(middle, id)} (${range})` };
  });
  const fastest = scored.map(({ middle }) => middle)[0];
  const times = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ].map((id) => `${fastest?.audits[id]?.title} ${fastest?.audits[id]?.displayValue}`);
  process.stdout.write([name.padEnd(26), ...scored.map(({ told }) => told), ...times].join('  ') + '\n');
  return scored
    .filter(({ id, least, middle }) => scoreOf(middle, id) < least)
    .map(({ id, middle, told }) => `${name}: ${told}${whyOf(middle, id)}`);
}

function scoreOf(seen: Result, category: string): number {
  return Math.round((seen.categories[category]?.score ?? 0) * 100);
}

/** The audits of a category that cost it something. */
function whyOf({ categories, audits }: Result, category: string): string {
  const costs = (categories[category]?.auditRefs ?? []).filter(
    ({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1,
  );
  return costs.map(({ id }) => `\n  ${audits[id]?.title} ${audits[id]?.displayValue ?? ''}`).join('');
}
