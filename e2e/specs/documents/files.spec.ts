// No uploaded file runs in the portal's origin, whatever its name and type (docs/security-model.md).

import { expect } from '@playwright/test';
import { createClient } from '@supabase/supabase-js';

import type { Database } from '../../../web/src/lib/api/database.ts';
import { test } from '../../fixtures/test.ts';

const THEFT = "localStorage.setItem('stolen', 'yes'); document.title = 'stolen'";
const HOSTILE = [
  ['page.html', 'text/html', `<!doctype html><script>${THEFT}</script>`],
  ['drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><script>${THEFT}</script></svg>`],
  [
    'page.xhtml',
    'application/xhtml+xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${THEFT}</script></html>`,
  ],
  ['photo.png', 'image/png', `<!doctype html><script>${THEFT}</script>`],
  ['program.js', 'text/javascript', THEFT],
] as const;

test("uploaded file › never runs in the portal's origin", async ({ page, app }) => {
  const office = createClient<Database>(app.portaria.url, app.portaria.serviceRoleKey, {
    auth: { persistSession: false },
  });
  const created = await office.storage.createBucket('site', { public: true });
  expect(created.error).toBeNull();
  const bucket = office.storage.from('site');
  for (const [name, contentType, content] of HOSTILE) {
    const stored = await bucket.upload(name, new TextEncoder().encode(content), { contentType });
    expect(stored.error, name).toBeNull();
    const signed = await bucket.createSignedUrl(name, 60);
    for (const url of [bucket.getPublicUrl(name).data.publicUrl, signed.data?.signedUrl ?? '']) {
      const download = page.waitForEvent('download');
      await page.goto(url).catch(() => 'a download ends the navigation');
      expect((await download).suggestedFilename(), url).toBe(name);
    }

    // Embedded by a page of the portal, it runs neither as a script nor as a document.
    await page.goto('/login');
    await page.evaluate((source) => {
      for (const [tag, attribute] of [
        ['script', 'src'],
        ['iframe', 'src'],
        ['object', 'data'],
      ] as const) {
        const element = document.createElement(tag);
        element.setAttribute(attribute, source);
        document.body.append(element);
      }
    }, bucket.getPublicUrl(name).data.publicUrl);
    await page.waitForLoadState('networkidle');
    await expect(page, name).not.toHaveTitle('stolen');
    expect(await page.evaluate(() => localStorage.getItem('stolen')), name).toBeNull();
  }
});
