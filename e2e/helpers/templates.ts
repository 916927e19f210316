// The form in which the words of a mail are written, as its tests reach it.

import type { Page } from '@playwright/test';

import { test as base, type TestApp } from '../fixtures/test.ts';
import { serviceClient } from './api.ts';

// The list is the whole office's, so these tests have an office of their own.
export const test = base.extend<object, { alone: true }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
  alone: [async ({}, provide) => provide(true), { scope: 'worker', auto: true }],
});

export const templates = ({ portaria }: TestApp) => serviceClient(portaria).from('email_templates');
export const words = (page: Page) => page.getByRole('textbox', { name: 'Conteúdo HTML do Email *' });
export const tool = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Formatação' }).getByRole('button', { name, exact: true });
export const inHtml = (page: Page) => page.getByRole('button', { name: 'HTML puro' });
export const inVisual = (page: Page) => page.getByRole('button', { name: 'Editor visual', exact: true });

/** The HTML that would be saved. */
export const html = async (page: Page) => {
  await inHtml(page).click();
  const value = await words(page).inputValue();
  await inVisual(page).click();
  await words(page).click();
  return value;
};
export const type = async (page: Page, text: string) => {
  await words(page).fill(text);
  await page.keyboard.press('ControlOrMeta+a');
};
