// Notifications on devices: the states of the card in both areas, the list of devices, and what the service worker shows.
// Headless browsers have no push service, so `crates/portaria/tests/it/notifications/push.rs` tests the delivery.

import { expect, type Page } from '@playwright/test';

import { openSession, test } from '../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../helpers/accessibility.ts';
import { signIn } from '../helpers/api.ts';

const CARD = 'Avisos no celular e no computador';
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** Replaces the notifications on the screen in a service worker, because headless browsers permit none. */
const STAND_INS = `(() => {
  self.shown = [];
  const remove = (tag) => { shown = shown.filter((notification) => notification.tag !== tag); };
  registration.showNotification = async (title, options = {}) => {
    const { tag = '' } = options;
    remove(tag);
    shown.push({ ...options, title, close: () => remove(tag) });
  };
  registration.getNotifications = async ({ tag } = {}) =>
    shown.filter((notification) => tag === undefined || notification.tag === tag);
})()`;

const card = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: CARD, exact: true }) });

const activate = (page: Page) =>
  card(page).getByRole('button', { name: 'Ativar notificações neste aparelho' });

/** Headless browsers deny the permission. This gives a page another one, which it may ask for. */
async function setPermission(page: Page, permission: NotificationPermission) {
  await page.addInitScript((value) => {
    Object.defineProperty(Notification, 'permission', { get: () => value });
  }, permission);
}

/** Adds a device of the signed-in person of the page, as another browser would. */
async function addDevice(page: Page, token: string, name: string, number: number) {
  const config = await (await page.request.get('/config.json')).json();
  const answer = await page.request.post('/account/v1/push/devices', {
    headers: { apikey: config.anon_key, authorization: `Bearer ${token}` },
    data: { endpoint: `https://fcm.googleapis.com/fcm/send/${number}`, keys: KEYS, device_name: name },
  });
  expect(answer.status()).toBe(204);
}

test('push › a client removes a device and mutes a topic', async ({ page, app }) => {
  const person = await app.newClient('Padaria dos Aparelhos');
  const api = await signIn(app.portaria, person);
  const token = (await api.auth.getSession()).data.session?.access_token ?? '';
  await openSession(page, person);
  await setPermission(page, 'default');
  await page.goto('/perfil');
  await expect(activate(page)).toBeVisible();
  await expect(card(page).getByRole('checkbox')).toHaveCount(0);
  await addDevice(page, token, 'Safari no iPhone', 1);
  await addDevice(page, token, 'Chrome no Windows', 2);
  await page.reload();
  const devices = card(page).getByRole('list', { name: 'Aparelhos com notificações' }).getByRole('listitem');
  await expect(devices).toHaveText([/Safari no iPhone.*Ativado em/, /Chrome no Windows.*Ativado em/]);
  await expectAccessibleInBothThemes(page);

  await devices
    .nth(0)
    .getByRole('button', { name: /^Remover Safari no iPhone/ })
    .click();
  await expect(page.getByText('Aparelho removido')).toBeVisible();
  await expect(devices).toHaveText([/Chrome no Windows/]);
  const tickets = card(page).getByRole('checkbox', { name: 'Atendimentos no aparelho' });
  await tickets.uncheck();
  await expect(page.getByText('Aviso desligado')).toBeVisible();
  await page.reload();
  await expect(tickets).not.toBeChecked();
  await expect(card(page).getByRole('checkbox', { name: 'Documentos no aparelho' })).toBeChecked();
});

test.describe('service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test('push › the service worker joins messages of a kind until the sign-out', async ({ page, app }) => {
    const person = await app.newClient('Padaria das Mensagens');
    await openSession(page, person);
    await page.goto('/perfil');
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    // The worker sees the requests of a page that it controls.
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const [worker] = page.context().serviceWorkers();
    if (!worker) throw new Error('The page has no service worker.');
    await worker.evaluate(STAND_INS);
    const deliver = (kind: string, path: string) => {
      const data = JSON.stringify({ title: 'Prado Contábil', body: 'Há um documento novo.', kind, path });
      return worker.evaluate(`dispatchEvent(new PushEvent('push', { data: ${JSON.stringify(data)} }))`);
    };
    const shown = () =>
      worker.evaluate<string[]>('shown.map(({ title, body, data }) => `${title}: ${body} ${data.path}`)');
    await deliver('document_new', '/documents/view/1');
    await expect.poll(shown).toEqual(['Prado Contábil: Há um documento novo. /documents/view/1']);
    await deliver('document_new', '/documents/view/2');
    await expect.poll(shown).toEqual(['Prado Contábil: Há um documento novo. (2) /']);
    await deliver('ticket_reply', '/tickets/1');
    await expect.poll(shown).toHaveLength(2);
    await page.evaluate(() => fetch('/auth/v1/logout?scope=others', { method: 'POST' }));
    expect(await shown()).toHaveLength(2);
    await page.context().setOffline(true);
    await page.evaluate(() => fetch('/auth/v1/logout', { method: 'POST' }).catch(() => {}));
    await page.context().setOffline(false);
    expect(await shown()).toHaveLength(2);
    await page.evaluate(() => fetch('/auth/v1/logout?scope=local', { method: 'POST' }));
    await expect.poll(shown).toEqual([]);
  });
});

test('push › a browser that blocks notifications is explained to the office', async ({ page }) => {
  await setPermission(page, 'denied');
  await openSession(page);
  await page.goto('/admin/security');
  await expect(card(page)).toContainText('O navegador bloqueou as notificações deste portal.');
  await expect(activate(page)).toHaveCount(0);
  await expectAccessibleInBothThemes(page);
});

test('push › a refused permission and browsers without push are explained', async ({ page, app }) => {
  const person = await app.newClient('Padaria sem Push');
  await openSession(page, person);
  await page.addInitScript(() => {
    let permission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = () => Promise.resolve((permission = 'denied') as NotificationPermission);
  });
  await page.goto('/perfil');
  await activate(page).click();
  await expect(card(page)).toContainText('Libere-as no ícone ao lado do endereço');
  await expect(activate(page)).toHaveCount(0);

  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'PushManager');
  });
  await page.reload();
  await expect(card(page)).toContainText('Este navegador não mostra notificações com o portal fechado.');
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)' });
  });
  await page.reload();
  await expect(card(page)).toContainText('toque em Compartilhar, depois em Adicionar à Tela de Início');
});
