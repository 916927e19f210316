// Locators of the list of clients.

import type { Page } from '@playwright/test';

export const clientSearch = (page: Page) =>
  page.getByRole('searchbox', { name: 'Buscar por nome ou email...' });
