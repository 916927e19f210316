// Failures of the network.

import type { Page, Route } from '@playwright/test';

/** Loses the answer to the next request to a URL: the server executes the request. */
export async function loseAnswer(page: Page, url: string): Promise<void> {
  await page.route(url, lose, { times: 1 });
}

async function lose(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}
