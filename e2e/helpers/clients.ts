// Locators of the list of clients, and clients with a tax id.

import { expect, type Page } from '@playwright/test';

import type { TestApp } from '../fixtures/test.ts';
import type { Person } from './api.ts';

export const clientSearch = (page: Page) =>
  page.getByRole('searchbox', { name: 'Buscar por nome ou email...' });

export const createClientWithTaxId = (app: TestApp, name: string, taxId: string): Promise<Person> =>
  createClientWithNumbers(app, name, { tax_id: taxId });

export async function createClientWithNumbers(
  app: TestApp,
  name: string,
  numbers: { readonly tax_id: string; readonly phone?: string },
): Promise<Person> {
  const person = await app.newClient(name);
  await requestAccount(app, person, 'PUT', { user_metadata: numbers });
  return person;
}

/** Deletes a client whose tax id other tests would find too. */
export const deletePerson = (app: TestApp, person: Person) => requestAccount(app, person, 'DELETE', {});

async function requestAccount(
  { portaria }: TestApp,
  { id }: Person,
  method: string,
  body: object,
): Promise<void> {
  const response = await fetch(`${portaria.url}/auth/v1/admin/users/${id}`, {
    method,
    headers: { apikey: portaria.serviceRoleKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}
