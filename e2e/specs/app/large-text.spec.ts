// Text that the browser enlarges to 200 % on a phone: no page is wider than its window (WCAG 2.2, 1.4.4).

import { expect, type Page } from '@playwright/test';

import { CHROMIUM } from '../../fixtures/chromium.ts';
import { signInAsAdmin, signInAsClient, test as base } from '../../fixtures/test.ts';
import { signIn, unwrap } from '../../helpers/api.ts';
import { addMember } from '../../helpers/members.ts';
import { DEMO_ADMIN, DEMO_CLIENT, listScreens, type Screen } from '../../helpers/screens.ts';

const test = base.extend({ baseURL: ({ demo }, provide) => provide(demo.url) });

test.use({
  // Twice the usual 16 px, as in the browser's settings.
  launchOptions: {
    ...CHROMIUM.launch,
    args: [...CHROMIUM.launch.args, '--blink-settings=defaultFontSize=32'],
  },
  viewport: { width: 360, height: 780 },
});

async function expectNoOverflow(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const { name, path, act } of screens) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await act?.(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect.soft(overflow, `${name} is not wider than its window`).toBe(0);
  }
}

test('large text › fits into the client area on a phone', async ({ page, demo }) => {
  test.slow();
  const { guest, client } = await listScreens(demo);
  await expectNoOverflow(page, guest);
  await signInAsClient(page, DEMO_CLIENT);
  await expectNoOverflow(page, client);

  // The header of a person with two clients has the switch between them.
  const admin = await signIn(demo, DEMO_ADMIN);
  const other = admin.from('clients').select('id').neq('email', DEMO_CLIENT.email).limit(1).single();
  await addMember({ portaria: demo, admin }, await unwrap(other), { name: 'João', ...DEMO_CLIENT });
  await page.reload();
  await expect(page.getByRole('button', { name: /^Cliente: .* Trocar$/ })).toBeVisible();
  await expectNoOverflow(page, [{ name: 'home page of two clients', path: '/' }]);
  await expect(page.getByRole('button', { name: /^Menu da conta/ })).toBeInViewport({ ratio: 1 });
});

test('large text › fits into the back office on a phone', async ({ page, demo }) => {
  test.slow();
  const { admin } = await listScreens(demo);
  await signInAsAdmin(page, DEMO_ADMIN);
  await expectNoOverflow(page, admin);
});
