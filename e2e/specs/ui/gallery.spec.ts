// All pieces of the interface at once: accessibility, room for fingers, narrow screens.

import { expect } from '@playwright/test';

import { test } from '../../fixtures/gallery.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';

test('gallery › has no violation in either theme', async ({ page }) => {
  await expectAccessibleInBothThemes(page);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test('gallery › gives a finger 44 px on every control', async ({ page }) => {
    const controls = page.locator('main').locator('a, button, input:not([aria-hidden]), select, textarea');
    expect(await controls.count()).toBeGreaterThan(50);
    const small = await controls.evaluateAll((elements) =>
      elements.flatMap((element) => {
        const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
        const boxes = [element, ...labels].map((target) => target.getBoundingClientRect());
        // In fractions of a pixel a box may be smaller than its style says.
        return boxes.some(({ width, height }) => width > 43.9 && height > 43.9) ? [] : [element.outerHTML];
      }),
    );
    expect(small).toEqual([]);
  });

  test('gallery › fits a narrow screen with long texts', async ({ page }) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(360);
  });
});

test('theme switch › goes from the system to light and dark, and is kept after a reload', async ({
  page,
}) => {
  const [light, dark] = ['rgb(250, 250, 248)', 'rgb(18, 22, 26)'];
  const expectBackground = (color: string) =>
    expect(page.locator('html')).toHaveCSS('background-color', color);
  const press = (name: string) => page.getByRole('banner').getByRole('button', { name }).click();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectBackground(dark);
  await press('Tema: do sistema');
  await expectBackground(light);
  await page.reload();
  await expectBackground(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await press('Tema: claro');
  await expectBackground(dark);
  await press('Tema: escuro');
  await expectBackground(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectBackground(dark);
});
