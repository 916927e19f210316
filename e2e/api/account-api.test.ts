// The calendar feed and the list of sessions, read with independent clients.

import ICAL from 'ical.js';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import {
  accessToken,
  addDocument,
  unwrap,
  expectOk,
  type Seed,
  seedOffice,
  signIn,
  present,
} from '../helpers/api.ts';
import { openServer } from './server.ts';

let portaria: Portaria;
let office: Seed;

beforeAll(async () => {
  portaria = await openServer();
  office = await seedOffice(portaria);
  return () => portaria.stop();
});

async function request(path: string, method = 'GET'): Promise<Response> {
  const client = await signIn(portaria, office.joao);
  const headers = { apikey: portaria.anonKey, authorization: `Bearer ${await accessToken(client)}` };
  const response = await fetch(`${portaria.url}/account/v1/${path}`, { method, headers });
  expect(response.ok).toBe(true);
  return response;
}

async function subscribe(): Promise<string> {
  const { url }: { url: string } = await (await request('calendar', 'POST')).json();
  return url;
}

describe('calendar feed', () => {
  test('has one all-day event for each document that expires', async () => {
    const awkward =
      'Contrato; locação, sala 2 \\ térreo: “vencimento”\tem março de 2027, com um nome bem comprido 📄';
    const { bytes, folder } = office.document;
    const { id } = await addDocument(office.admin, office.joao, folder, bytes, '2028-02-29');
    await expectOk(office.admin.from('documents').update({ name: awkward }).eq('id', id));
    await addDocument(office.admin, office.mariana, folder, bytes, '2027-05-05');

    const response = await fetch(await subscribe());
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(response.headers.getSetCookie()).toEqual([]);
    const text = await response.text();
    for (const line of text.split('\r\n')) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(line).not.toContain('\n');
    }

    const calendar = new ICAL.Component(ICAL.parse(text));
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
    expect(calendar.getFirstPropertyValue('x-wr-timezone')).toBe('America/Sao_Paulo');
    expect(String(calendar.getFirstPropertyValue('refresh-interval'))).toBe('PT6H');
    const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
    expect(
      events.map(({ startDate, endDate, duration, component }) => ({
        start: startDate.toString(),
        isDay: startDate.isDate && endDate.isDate,
        days: duration.toSeconds() / 86_400,
        url: component.getFirstPropertyValue('url'),
      })),
    ).toEqual([
      {
        start: '2027-03-31',
        isDay: true,
        days: 1,
        url: `${portaria.url}/documents/view/${office.document.id}`,
      },
      { start: '2028-02-29', isDay: true, days: 1, url: `${portaria.url}/documents/view/${id}` },
    ]);
    // A tab is replaced by a space.
    expect(events[1]?.summary).toBe(awkward.replace('\t', ' '));
    expect(events[1]?.description).toContain('Pasta: Faturas\n');
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(2);
  });

  test('stops when its link is replaced or revoked', async () => {
    const first = await subscribe();
    const second = await subscribe();
    expect((await fetch(first)).status).toBe(404);
    expect((await fetch(second)).status).toBe(200);
    await request('calendar', 'DELETE');
    expect((await fetch(second)).status).toBe(404);
  });
});

describe('sessions', () => {
  test('are listed, ended individually, and ended all but the current one', async () => {
    const [current, second, third] = await Promise.all([1, 2, 3].map(() => signIn(portaria, office.mariana)));
    if (!current || !second || !third) throw new Error('A session is missing.');
    const { data: claims } = await second.auth.getClaims();
    await expectOk(current.from('sessions').delete().eq('id', present(claims?.claims.session_id)));
    expect((await second.from('tickets').select()).status).toBe(401);
    expect(await unwrap(current.from('sessions').select('id'))).toHaveLength(2);
    expect((await current.auth.signOut({ scope: 'others' })).error).toBeNull();
    expect((await third.from('tickets').select()).status).toBe(401);
    expect(await unwrap(current.from('sessions').select('id'))).toHaveLength(1);
  });
});
