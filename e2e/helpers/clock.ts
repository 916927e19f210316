// A browser that believes it is another moment, while its server goes on with the real one.

import type { Page } from '@playwright/test';

/** Sets the browser's clock, which runs on from there. Tokens are taken to last as long as they would at that moment. */
export async function setClock(page: Page, moment: Date): Promise<void> {
  const ahead = Math.round((moment.getTime() - Date.now()) / 1000);
  await page.route('**/auth/v1/token?*', async (route) => {
    const response = await route.fetch();
    const answer: { expires_at?: number } = await response.json();
    if (answer.expires_at !== undefined) answer.expires_at += ahead;
    await route.fulfill({ response, json: answer });
  });
  await page.clock.install({ time: moment });
}

/** A moment of a day in São Paulo, which is three hours behind Greenwich all year. */
export function saoPauloTime(day: string, time: string): Date {
  return new Date(`${day}T${time}-03:00`);
}

/** A calendar day in São Paulo, so many days from now. */
export function dayFromNow(days: number): string {
  const day = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  return day.toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' });
}

/** `30/11/2026` for `2026-11-30`. */
export function formatDay(day: string): string {
  return day.split('-').toReversed().join('/');
}
