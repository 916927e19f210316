// Accessibility of a page, checked by axe.

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** A part of the page, as CSS selectors. */
type Part = { include?: string; exclude?: string };

/** The rules about colors. A theme changes nothing else, so the dark one is checked by these. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Expects that axe finds no violation in the page or in its part, once its animations have ended. */
export async function expectAccessible(page: Page, part: Part = {}, rules?: string[]): Promise<void> {
  await finishAnimations(page);
  const axe = new AxeBuilder({ page });
  if (rules !== undefined) axe.withRules(rules);
  if (part.include !== undefined) axe.include(part.include);
  if (part.exclude !== undefined) axe.exclude(part.exclude);
  const { violations } = await axe.analyze();
  const findings = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  );
  expect(findings, page.url()).toEqual([]);
}

/** Expects the same in the light theme, and readable colors in the dark one. */
export async function expectAccessibleInBothThemes(page: Page, part: Part = {}): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page, part);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, part, COLOR_RULES);
}

/**
 * Waits for the end of animations, because a text that fades in has too little contrast meanwhile. Two frames come
 * first, so that the page has applied what changed last, such as its theme, and has begun its transitions.
 */
export async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const animations = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(animations.map(({ finished }) => finished));
  });
}
