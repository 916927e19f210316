// Measures how quickly each screen answers on a slow phone: the interaction to next paint (INP) and the longest task
// after the first paint. It presses what a screen offers and types into its fields.

import { chromium, type Browser, type Locator, type Page } from '@playwright/test';

import { CHROMIUM } from '../fixtures/chromium.ts';
import type { Portaria } from '../fixtures/server.ts';
import { signInAsAdmin, signInAsClient } from '../fixtures/test.ts';
import { DEMO_ADMIN, DEMO_CLIENT, listScreens, type Screen } from '../helpers/screens.ts';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
/** Slowdown of the processor, as Lighthouse assumes for a phone. */
const SLOWDOWN = 4;
/** Other work on the machine disturbs single visits, so the median of these counts. */
const VISITS = 3;
const MAX_INP_MS = 100;
const MAX_TASK_MS = 50;
/** Maximum number of fields and of buttons that are tried on a screen. */
const MAX_CONTROLS = 8;
/** Buttons that end the session, leave the portal, or send a form. */
const SKIPPED_BUTTONS =
  /^(?:Sair|Entrar|Ver como|Baixar|Imprimir|Exportar|Salvar|Enviar|Criar|Atualizar|Gerar)/;

type Timing = { inp: number; slowest: string; task: number };

/** Prints the INP and the longest task of each screen. Returns the screens above the limits. */
export async function measureInteractions(demo: Portaria): Promise<string[]> {
  const screens = await listScreens(demo);
  const browser = await chromium.launch(CHROMIUM.launch);
  try {
    return [
      ...(await measureArea(browser, demo, screens.guest, async () => {})),
      ...(await measureArea(browser, demo, screens.client, (page) => signInAsClient(page, DEMO_CLIENT))),
      ...(await measureArea(browser, demo, screens.admin, (page) => signInAsAdmin(page, DEMO_ADMIN))),
    ];
  } finally {
    await browser.close();
  }
}

async function measureArea(
  browser: Browser,
  demo: Portaria,
  screens: readonly Screen[],
  signIn: (page: Page) => Promise<void>,
): Promise<string[]> {
  const context = await browser.newContext({
    ...CHROMIUM.context,
    ...PHONE,
    baseURL: demo.url,
    serviceWorkers: 'block',
  });
  await context.addInitScript(observe);
  const page = await context.newPage();
  await signIn(page);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const slowScreens: string[] = [];
  for (const { name, path } of screens) {
    const visits: Timing[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) visits.push(await measureVisit(page, path));
    const inp = medianOf(visits, (one) => one.inp);
    const task = medianOf(visits, (one) => one.task);
    const summary = `INP ${inp.inp} ms (${rangeOf(visits.map((one) => one.inp))}), longest task ${task.task} ms (${rangeOf(visits.map((one) => one.task))})`;
    process.stdout.write(`${name.padEnd(26)}  ${summary}  ${inp.slowest}\n`);
    if (inp.inp >= MAX_INP_MS || task.task > MAX_TASK_MS) slowScreens.push(`${name}: ${summary}`);
  }
  await context.close();
  return slowScreens;
}

async function measureVisit(page: Page, path: string): Promise<Timing> {
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  await typeInFields(page);
  await pressButtons(page, path);
  return page.evaluate(() => globalThis.readTimings());
}

/** Types into the fields of the screen. */
async function typeInFields(page: Page): Promise<void> {
  const fields = page.locator(
    'main :is(input:is([type=text],[type=search],[type=email],[type=password],:not([type])),textarea,[contenteditable=true])',
  );
  for (const field of (await visible(fields)).slice(0, MAX_CONTROLS)) {
    await field.focus();
    await page.keyboard.type('ana', { delay: 60 });
  }
  await page.waitForLoadState('networkidle');
}

/** Presses the buttons of the screen, and closes what they open. */
async function pressButtons(page: Page, path: string): Promise<void> {
  const buttons = page.locator('header button, main :is(button, [role=tab], [role=switch], [role=radio])');
  for (const button of (await visible(buttons)).slice(0, MAX_CONTROLS)) {
    if (!(await button.isVisible()) || !(await button.isEnabled())) continue;
    const label = (await button.getAttribute('aria-label')) ?? (await button.innerText());
    if (SKIPPED_BUTTONS.test(label.trim())) continue;
    await button.tap({ timeout: 5_000 });
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('Escape');
    const url = new URL(page.url());
    if (url.pathname + url.search !== path) return;
  }
}

async function visible(all: Locator): Promise<Locator[]> {
  const found = await all.all();
  const shown = await Promise.all(found.map((one) => one.isVisible()));
  return found.filter((_, at) => shown[at]);
}

function medianOf(visits: readonly Timing[], value: (visit: Timing) => number): Timing {
  const median = visits.toSorted((a, b) => value(a) - value(b))[Math.floor(visits.length / 2)];
  if (!median) throw new Error('The screen was not visited.');
  return median;
}

function rangeOf(values: readonly number[]): string {
  return `${Math.min(...values)}–${Math.max(...values)}`;
}

declare global {
  function readTimings(): Timing;
}

/** Runs in the page: records interactions and long tasks. */
function observe(): void {
  const timing = { inp: 0, slowest: '', task: 0 };
  let firstPaint = Infinity;
  const tasks: PerformanceEntry[] = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) firstPaint = Math.min(firstPaint, entry.startTime);
  }).observe({ type: 'paint', buffered: true });
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({
    type: 'longtask',
    buffered: true,
  });
  const events: PerformanceObserverInit & { durationThreshold: number } = {
    type: 'event',
    buffered: true,
    durationThreshold: 16,
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!(entry instanceof PerformanceEventTiming) || !entry.interactionId) continue;
      if (entry.duration <= timing.inp) continue;
      timing.inp = entry.duration;
      const target = entry.target instanceof Element ? entry.target : null;
      timing.slowest = `${entry.name} ${target?.getAttribute('aria-label') ?? target?.textContent?.slice(0, 30) ?? ''}`;
    }
  }).observe(events);
  globalThis.readTimings = () => {
    const late = tasks.filter(({ startTime }) => startTime > firstPaint);
    return { ...timing, task: Math.round(Math.max(0, ...late.map(({ duration }) => duration))) };
  };
}
