// How documents are sent: whose, which folder, which file; and the search for whose they are.

import { expect, type Page } from '@playwright/test';

import { holdRequest } from '../fixtures/test.ts';

export function pdfFile(name: string, bytes: Buffer) {
  return { name, mimeType: 'application/pdf', buffer: bytes };
}

/** Chooses whom or what a field looks for. */
export async function chooseOption(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label).first().fill(name);
  await page.getByRole('option', { name }).click();
}

/** A text that a client is looked for by, and that none is found by. */
export const UNKNOWN_TAX_ID = 'CNPJ 45.997.418/0001-53';

/** Holds the search for whose a document is; at its end, tells which files the page sent all the same. */
export async function holdClientSearch(page: Page) {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/object/'))
      sent.push(request.url());
  });
  const isSearch = /\/rest\/v1\/clients\?.*tax_id=in/;
  const { begun, release } = await holdRequest(page, isSearch, 'GET');
  const end = async () => {
    const answer = page.waitForResponse(isSearch);
    release();
    await (await answer).finished();
    // By the time that another screen has been read, it would have been sent.
    await page.getByRole('link', { name: 'Pastas' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Pastas' })).toBeVisible();
    return sent;
  };
  return { begun, end };
}
