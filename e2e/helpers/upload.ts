// Actions of the upload forms, and the check of a document's text for another client's tax id.

import { expect, type Page } from '@playwright/test';

import { holdRequest } from '../fixtures/test.ts';

export function pdfFile(name: string, bytes: Buffer) {
  return { name, mimeType: 'application/pdf', buffer: bytes };
}

/** Chooses an option of a searchable field. */
export async function chooseOption(page: Page, label: string, name: string): Promise<void> {
  await page.getByLabel(label).first().fill(name);
  await page.getByRole('option', { name }).click();
}

/** A text with a valid tax id that belongs to no client. */
export const UNKNOWN_TAX_ID = 'CNPJ 45.997.418/0001-53';

/**
 * Holds the search for clients by tax id until `release`. `end` releases it, leaves the page, and returns the uploads
 * that the page starts nevertheless.
 */
export async function holdClientSearch(page: Page) {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/object/'))
      uploads.push(request.url());
  });
  const isSearch = /\/rest\/v1\/clients\?.*tax_id=in/;
  const { started, release } = await holdRequest(page, isSearch, 'GET');
  const end = async () => {
    const response = page.waitForResponse(isSearch);
    release();
    await (await response).finished();
    // An upload would start before another screen has loaded.
    await page.getByRole('link', { name: 'Pastas' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Pastas' })).toBeVisible();
    return uploads;
  };
  return { started, release, end };
}
