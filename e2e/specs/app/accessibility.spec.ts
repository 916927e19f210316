// Accessibility of all screens: axe finds no serious violation in the light theme, and no unreadable color in the dark one.

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { COLOR_RULES, finishAnimations } from '../../helpers/accessibility.ts';
import { DEMO_ADMIN, DEMO_CLIENT, type Screen, listScreens } from '../../helpers/screens.ts';

test.use({ baseURL: ({ demo }, provide) => provide(demo.url) });

// One test walks over all screens of an area, on a busy machine for minutes.
test.describe.configure({ timeout: 900_000 });

test('accessibility › guest screens have no serious violations', async ({ page, demo }) => {
  await expectNoViolations(page, (await listScreens(demo)).guest);
});

test('accessibility › client screens have no serious violations', async ({ page, demo }) => {
  await signInAsClient(page, DEMO_CLIENT);
  await expectNoViolations(page, (await listScreens(demo)).client);
});

test('accessibility › admin screens have no serious violations', async ({ page, demo }) => {
  await signInAsAdmin(page, DEMO_ADMIN);
  await expectNoViolations(page, (await listScreens(demo)).admin);
});

async function expectNoViolations(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const { name, path, act } of screens) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await act?.(page);
    await expectNone(page, `${name}, light`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNone(page, `${name}, dark`, COLOR_RULES);
  }
}

async function expectNone(page: Page, name: string, rules?: string[]): Promise<void> {
  await finishAnimations(page);
  // Scripts of axe cannot run within a sandboxed frame.
  const axe = new AxeBuilder({ page }).exclude('iframe[sandbox]');
  if (rules !== undefined) axe.withRules(rules);
  const { violations } = await axe.analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const findings = serious.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
  }));
  expect.soft(findings, name).toEqual([]);
}
