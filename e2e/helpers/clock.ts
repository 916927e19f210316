// Browser clock and dates in the portal's time zone.

import type { Page } from '@playwright/test';

/**
 * Sets the browser's clock, which runs on from that moment. The server keeps the real time, so the expiry of
 * new tokens is shifted.
 */
export async function setClock(page: Page, moment: Date): Promise<void> {
  const offsetSeconds = Math.round((moment.getTime() - Date.now()) / 1000);
  await page.route('**/auth/v1/token?*', async (route) => {
    const response = await route.fetch();
    const token: { expires_at?: number } = await response.json();
    if (token.expires_at !== undefined) token.expires_at += offsetSeconds;
    await route.fulfill({ response, json: token });
  });
  await page.clock.install({ time: moment });
}

/** A time of a day in São Paulo, which is at UTC−3 all year. */
export function saoPauloTime(day: string, time: string): Date {
  return new Date(`${day}T${time}-03:00`);
}

/** The calendar day in São Paulo that is the given number of days from now. */
export function dayFromNow(days: number): string {
  const day = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
  return day.toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' });
}

/** Formats `2026-11-30` as `30/11/2026`. */
export function formatDay(day: string): string {
  return day.split('-').toReversed().join('/');
}
