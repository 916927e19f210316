// People of a client.

import { expect } from '@playwright/test';

import type { TestApp } from '../fixtures/test.ts';
import { accessToken, type Person } from './api.ts';

/** Lets a person act for a client, too. */
export async function addMember(
  { portaria, admin }: Pick<TestApp, 'portaria' | 'admin'>,
  client: Pick<Person, 'id'>,
  { name, email }: Pick<Person, 'name' | 'email'>,
): Promise<void> {
  const response = await fetch(`${portaria.url}/account/v1/members`, {
    method: 'POST',
    headers: {
      apikey: portaria.anonKey,
      Authorization: `Bearer ${await accessToken(admin)}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ client_id: client.id, name, email, role: 'owner', folders: null }),
  });
  expect(response.ok).toBe(true);
}
