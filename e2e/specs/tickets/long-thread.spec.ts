// The thread of a ticket with more messages than a page loads first.

import { expect } from '@playwright/test';

import { openSession, test } from '../../fixtures/test.ts';
import { addStaffReplies, addStaffReply, addTicket } from '../../helpers/tickets.ts';

/** Polling interval of the page, plus time for a slow machine. */
const SOON = { timeout: 40_000 };

test('long ticket › shows the newest messages, and older ones on demand in their place', async ({
  page,
  app,
}) => {
  const client = await app.newClient('Zélia Prado');
  const id = await addTicket(app.portaria, client, { subject: 'Longa conversa', message: 'Tudo começou.' });
  await addStaffReplies(app.admin, id, 60);
  await openSession(page, client);
  const messages = page.getByRole('log', { name: 'Mensagens' }).getByRole('listitem');
  const older = page.getByRole('button', { name: 'Mostrar mensagens anteriores' });
  const text = (number: number) => page.getByText(`Mensagem ${number}`, { exact: true });
  const divider = page.getByRole('heading', { name: 'Novas respostas' });
  for (const path of [`/tickets/${id}`, `/admin/tickets/${id}`]) {
    if (path.startsWith('/admin')) await openSession(page);
    await page.goto(path);
    // The ticket itself, the button and a page of messages.
    await expect(messages).toHaveCount(52);
    await expect(messages.first()).toContainText('Tudo começou.');
    await expect(messages.nth(1).getByRole('button')).toHaveText('Mostrar mensagens anteriores');
    if (path.startsWith('/t')) await expect(messages.nth(2).locator(divider)).toBeVisible();
    await expect(messages.last()).toContainText('Mensagem');
    await older.focus();
    const below = text(path.startsWith('/t') ? 11 : 12);
    await below.scrollIntoViewIfNeeded();
    const top = async () => Math.round((await below.boundingBox())?.y ?? 0);
    const before = await top();
    await page.keyboard.press('Enter');
    await expect(older).toBeHidden();
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await expect(messages.nth(1)).toBeFocused();
    const numbers = await messages.allInnerTexts();
    const last = path.startsWith('/t') ? 60 : 61;
    expect(numbers.map((one) => /Mensagem (\d+)/.exec(one)?.[1] ?? '')).toEqual([
      '',
      ...Array.from({ length: last }, (_, at) => `${at + 1}`),
    ]);
    if (path.startsWith('/t')) await expect(messages.nth(1).locator(divider)).toBeVisible();
    // A new message leaves the older ones.
    await addStaffReply(app.admin, id, `Mensagem ${last + 1}`);
    await expect(messages).toHaveCount(last + 2, SOON);
    await expect(text(1)).toBeAttached();
  }
});
