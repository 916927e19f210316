// Animations of the page.

import type { Page } from '@playwright/test';

/** Waits for the end of animations, because a text that fades in has too little contrast meanwhile. */
export async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const animations = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(animations.map(({ finished }) => finished));
  });
}
