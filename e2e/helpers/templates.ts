// Locators and actions of the form for mail templates.

import type { Page } from '@playwright/test';

import type { TestApp } from '../fixtures/test.ts';
import { serviceClient } from './api.ts';

export const templatesTable = ({ portaria }: TestApp) => serviceClient(portaria).from('email_templates');
export const contentField = (page: Page) => page.getByRole('textbox', { name: 'Conteúdo HTML do Email *' });
export const toolbarButton = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Formatação' }).getByRole('button', { name, exact: true });
export const htmlModeButton = (page: Page) => page.getByRole('button', { name: 'HTML puro' });
export const visualModeButton = (page: Page) =>
  page.getByRole('button', { name: 'Editor visual', exact: true });

/** Returns the HTML that the form would save. */
export const readHtml = async (page: Page) => {
  await htmlModeButton(page).click();
  const value = await contentField(page).inputValue();
  await visualModeButton(page).click();
  await contentField(page).click();
  return value;
};
export const typeAndSelect = async (page: Page, text: string) => {
  await contentField(page).fill(text);
  await page.keyboard.press('ControlOrMeta+a');
};
