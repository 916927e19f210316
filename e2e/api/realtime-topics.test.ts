// Broadcasts and presence on private topics, with the official client in both versions of its protocol.

import { createClient, type RealtimeChannel } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { type ApiClient, createPerson, signIn, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

interface Note {
  readonly payload: unknown;
}

interface Member {
  readonly channel: RealtimeChannel;
  readonly notes: unknown[];
  readonly statuses: string[];
}

function enter(client: ApiClient, topic: string, key: string): Member {
  const notes: unknown[] = [];
  const statuses: string[] = [];
  const config = { private: true, broadcast: { ack: true, self: false }, presence: { key, enabled: true } };
  const channel = client
    .channel(topic, { config })
    .on('broadcast', { event: 'note' }, ({ payload }: Note) => notes.push(payload))
    .subscribe((status) => statuses.push(status));
  return { channel, notes, statuses };
}

async function joined(member: Member): Promise<Member> {
  await vi.waitFor(() => expect(member.statuses).toContain('SUBSCRIBED'), { timeout: 10_000 });
  return member;
}

async function connect(
  { url, anonKey }: Portaria,
  { email, password }: { email: string; password: string },
  vsn: string,
): Promise<ApiClient> {
  const client: ApiClient = createClient(url, anonKey, {
    auth: { persistSession: false },
    realtime: { vsn },
  });
  await unwrap(client.auth.signInWithPassword({ email, password }));
  return client;
}

describe.each(['1.0.0', '2.0.0'])('the topic of a ticket, in version %s of the protocol', (vsn) => {
  let portaria: Portaria;
  let admin: ApiClient;
  let joao: ApiClient;
  let maria: ApiClient;
  let topic: string;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    const office = await signIn(portaria, ADMIN);
    admin = await connect(portaria, ADMIN, '2.0.0');
    joao = await connect(portaria, await createPerson(portaria, office, 'João', 'joao@padaria.com.br'), vsn);
    maria = await connect(
      portaria,
      await createPerson(portaria, office, 'Maria', 'maria@clinica.com.br'),
      vsn,
    );
    const ticket = { subject: 'Guia de novembro', message: 'Uma mensagem longa o bastante.' };
    topic = `ticket:${(await unwrap(joao.from('tickets').insert(ticket).select('id').single())).id}`;
    return async () => {
      await Promise.all([admin, joao, maria].map((client) => client.removeAllChannels()));
    };
  });

  test('carries broadcasts between its members', async () => {
    const own = await joined(enter(joao, topic, 'joão'));
    const office = await joined(enter(admin, topic, 'ana'));
    const text = { text: 'Olá, tudo bem?' };
    expect(await own.channel.send({ type: 'broadcast', event: 'note', payload: text })).toBe('ok');
    await vi.waitFor(() => expect(office.notes).toEqual([text]));
    expect(await office.channel.send({ type: 'broadcast', event: 'note', payload: { text: 'Tudo!' } })).toBe(
      'ok',
    );
    expect(await office.channel.httpSend('note', { text: 'E por aí?' })).toEqual({ success: true });
    await vi.waitFor(() => expect(own.notes).toEqual([{ text: 'Tudo!' }, { text: 'E por aí?' }]));
    await Promise.all([own, office].map(({ channel }) => channel.unsubscribe()));
  });

  test('shows which members are present', async () => {
    const own = await joined(enter(joao, topic, 'joão'));
    expect(await own.channel.track({ name: 'João' })).toBe('ok');
    const office = await joined(enter(admin, topic, 'ana'));
    await vi.waitFor(() =>
      expect(office.channel.presenceState()).toMatchObject({ joão: [{ name: 'João' }] }),
    );
    await office.channel.track({ name: 'Ana' });
    await vi.waitFor(() =>
      expect(Object.keys(own.channel.presenceState()).toSorted()).toEqual(['ana', 'joão']),
    );
    await office.channel.untrack();
    await vi.waitFor(() => expect(Object.keys(own.channel.presenceState())).toEqual(['joão']));
    await own.channel.unsubscribe();
    await vi.waitFor(() => expect(office.channel.presenceState()).toEqual({}));
    await office.channel.unsubscribe();
  });

  test('does not exist for others', async () => {
    const refused = enter(maria, topic, 'maria');
    await vi.waitFor(() => expect(refused.statuses).toContain('CHANNEL_ERROR'));
    await expect(refused.channel.httpSend('note', {})).rejects.toThrow(
      'this caller may not send to the topic',
    );
    await maria.removeChannel(refused.channel);
  });
});

test('bytes arrive as bytes', async () => {
  const portaria = await openServer();
  const admin = await connect(portaria, ADMIN, '2.0.0');
  const another = await connect(portaria, ADMIN, '2.0.0');
  const sender = await joined(enter(admin, 'staff', 'ana'));
  const receiver = await joined(enter(another, 'staff', 'ana'));
  const bytes = new Uint8Array([0, 200, 255]);
  await sender.channel.send({ type: 'broadcast', event: 'note', payload: bytes.buffer });
  await vi.waitFor(() => expect(receiver.notes).toHaveLength(1));
  expect(receiver.notes).toEqual([bytes.buffer]);
  await Promise.all([admin, another].map((client) => client.removeAllChannels()));
  await portaria.stop();
});
