// What every browser test stands on: a fresh server for each worker, and people who sign in as people do.

import { test as base, expect, type Page } from '@playwright/test';
import type { SupabaseClient } from '@supabase/supabase-js';

import { createPerson, type Person, signIn } from '../office.ts';
import { ADMIN, type Portaria, startPortaria } from '../server.ts';

export interface World {
  readonly portaria: Portaria;
  readonly admin: SupabaseClient;
  /** Makes a client whom no other test knows. */
  readonly newClient: (name: string) => Promise<Person>;
}

/** An office of its own, in which only the administrator is. */
export async function openWorld(settings?: Readonly<Record<string, string>>): Promise<World> {
  const portaria = await startPortaria({ ...(settings && { settings }) });
  const admin = await signIn(portaria, ADMIN);
  let made = 0;
  const newClient = (name: string) => {
    made += 1;
    return createPerson(portaria, admin, name, `cliente${made}@padaria.com.br`);
  };
  return { portaria, admin, newClient };
}

/** Whether a test brings style sheets along, as people do who paste: the page's policy refuses them. */
type Brings = { foreignStyles: boolean };

export const test = base.extend<Brings, { world: World; demo: Portaria }>({
  world: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const world = await openWorld();
      await provide(world);
      await world.portaria.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  demo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from this pattern.
    async ({}, provide) => {
      const portaria = await startPortaria({ demo: true });
      await provide(portaria);
      await portaria.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // Whatever a test is about: the page's policy refuses no style and no script of ours. Pictures it may: a mail's.
  foreignStyles: [false, { option: true }],
  page: async ({ page, foreignStyles }, provide) => {
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy directive:? ["']?(style|script)-/.test(message.text()))
        refused.push(message.text());
    });
    await provide(page);
    if (foreignStyles) expect(refused).not.toEqual([]);
    else expect(refused).toEqual([]);
  },
  baseURL: ({ world }, provide) => provide(world.portaria.url),
});

export async function signInAsAdmin(page: Page, { email, password } = ADMIN): Promise<void> {
  await page.goto('/admin/login');
  await fillSignIn(page, email, password);
  await expect(page).toHaveURL('/admin/dashboard');
}

export async function signInAsClient(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await page.goto('/login');
  await fillSignIn(page, email, password);
  await expect(page).toHaveURL('/');
}

/** Keeps the page's requests of one kind from the server until they are released; tells when one has begun. */
export async function hold(page: Page, address: RegExp, method: string) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) {
      begin();
      await released;
    }
    await route.fallback();
  });
  return { begun, release };
}

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}
