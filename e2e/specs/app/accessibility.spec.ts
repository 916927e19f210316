// Accessibility of all screens: axe finds no serious violation in either theme.

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

import { signInAsAdmin, signInAsClient, test } from '../../fixtures/test.ts';
import { finishAnimations } from '../../helpers/accessibility.ts';
import { DEMO_ADMIN, DEMO_CLIENT, type Screen, listScreens } from '../../helpers/screens.ts';

test.use({ baseURL: ({ demo }, provide) => provide(demo.url) });

// One test walks over all screens of an area.
test.describe.configure({ timeout: 300_000 });

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`accessibility in the ${colorScheme} theme`, () => {
    test.use({ colorScheme });

    test('guest screens have no serious violations', async ({ page, demo }) => {
      await expectNoViolations(page, (await listScreens(demo)).guest);
    });

    test('client screens have no serious violations', async ({ page, demo }) => {
      await signInAsClient(page, DEMO_CLIENT);
      await expectNoViolations(page, (await listScreens(demo)).client);
    });

    test('admin screens have no serious violations', async ({ page, demo }) => {
      await signInAsAdmin(page, DEMO_ADMIN);
      await expectNoViolations(page, (await listScreens(demo)).admin);
    });
  });
}

async function expectNoViolations(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const { name, path, act } of screens) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await act?.(page);
    await finishAnimations(page);
    // Scripts of axe cannot run within a sandboxed frame.
    const { violations } = await new AxeBuilder({ page }).exclude('iframe[sandbox]').analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const findings = serious.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
    expect.soft(findings, name).toEqual([]);
  }
}
