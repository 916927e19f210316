// Lists of the back office.

import type { Page } from '@playwright/test';

/** Opens the menu of the row with this name. */
export async function openRowMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Ações de ${name}` }).click();
}
