// What Lighthouse says of the screens that people meet first, as a phone on a slow network and as a desk sees them.
// It measures on a machine that does nothing else; what it finds fault with is written out, and fails the run.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium, type Page } from '@playwright/test';
import lighthouse, { desktopConfig, type Result } from 'lighthouse';

import { putMany } from './browser/documents.ts';
import { signInAsClient } from './browser/test.ts';
import { CHROMIUM } from './chromium.ts';
import { createPerson, signIn } from './office.ts';
import { DEMO_ADMIN, DEMO_CLIENT, screensOf } from './screens.ts';
import { freePort, startPortaria } from './server.ts';
import { addTickets } from './tickets.ts';

const LEAST = { performance: 95, accessibility: 100, 'best-practices': 100 };
const SCREENS = ['login', 'client-home', 'client-documents', 'client-document'];
const DOCUMENTS = 5_000;
const TICKETS = 2_000;
/** Milliseconds, with all of these. */
const FIRST_CONTENT = 1_000;
const DEVICES = { phone: undefined, desk: desktopConfig };

const demo = await startPortaria({ demo: true });
const faults: string[] = [];
try {
  faults.push(...(await withProfile((profile) => inBrowser(profile, beginnings))));
  const { guest, client } = await screensOf(demo);
  for (const screen of [...guest, ...client].filter(({ name }) => SCREENS.includes(name))) {
    for (const [device, config] of Object.entries(DEVICES)) {
      const found = await withProfile(async (profile) => {
        if (client.includes(screen)) {
          await inBrowser(profile, (page) => signInAsClient(page, DEMO_CLIENT));
        }
        return inBrowser(profile, (_, port) => look(`${screen.name}, ${device}`, screen.path, port, config));
      });
      faults.push(...found);
    }
  }
} finally {
  await demo.stop();
}
if (faults.length > 0) {
  throw new Error(`Lighthouse finds fault:\n${faults.join('\n')}`);
}

/** A person's browser as it lies on their disk: what they signed in to stays when it is closed. */
async function withProfile<T>(work: (profile: string) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'portaria-lighthouse-'));
  try {
    return await work(profile);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

/** What a browser does that was just opened: one that has shown other pages would be clearing up after them while it is measured. */
async function inBrowser<T>(profile: string, work: (page: Page, port: number) => Promise<T>): Promise<T> {
  const port = await freePort();
  const browser = await chromium.launchPersistentContext(profile, {
    ...CHROMIUM.context,
    ...CHROMIUM.launch,
    args: [...CHROMIUM.launch.args, `--remote-debugging-port=${port}`],
    baseURL: demo.url,
  });
  try {
    const [page = await browser.newPage()] = browser.pages();
    return await work(page, port);
  } finally {
    await browser.close();
  }
}

/** How soon the first rows of a client with very much stand on the screen, on a visit that is not the first. */
async function beginnings(page: Page): Promise<string[]> {
  const admin = await signIn(demo, DEMO_ADMIN);
  const owner = await createPerson(demo, admin, 'Rosa Benevides', 'rosa@benevides.com.br');
  const names = Array.from({ length: DOCUMENTS }, (_, at) => `Comprovante de pagamento ${at}`);
  await putMany({ admin }, owner, names);
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

async function look(
  name: string,
  path: string,
  port: number,
  config: typeof desktopConfig | undefined,
): Promise<string[]> {
  const options = {
    port,
    onlyCategories: Object.keys(LEAST),
    // The session is there to stay, and so is the shell that the first visit kept.
    disableStorageReset: true,
  };
  const seen = (await lighthouse(new URL(path, demo.url).href, options, config))?.lhr;
  if (!seen || seen.runtimeError) {
    throw new Error(`${name} could not be measured: ${seen?.runtimeError?.message}`);
  }
  if (new URL(seen.finalDisplayedUrl).pathname !== path) {
    throw new Error(`${name} led to ${seen.finalDisplayedUrl}`);
  }
  const scores = Object.entries(LEAST).map(([id, least]) => {
    const score = Math.round((seen.categories[id]?.score ?? 0) * 100);
    return { id, score, missed: score < least };
  });
  const times = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ];
  process.stdout.write(
    [
      name.padEnd(26),
      ...scores.map(({ id, score }) => `${id} ${score}`),
      ...times.map((id) => `${seen.audits[id]?.title} ${seen.audits[id]?.displayValue}`),
    ].join('  ') + '\n',
  );
  return scores
    .filter(({ missed }) => missed)
    .map(({ id, score }) => `${name}: ${id} ${score}${whyOf(seen, id)}`);
}

/** The audits of a category that cost it something. */
function whyOf({ categories, audits }: Result, category: string): string {
  const costs = (categories[category]?.auditRefs ?? []).filter(
    ({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1,
  );
  return costs.map(({ id }) => `\n  ${audits[id]?.title} ${audits[id]?.displayValue ?? ''}`).join('');
}
