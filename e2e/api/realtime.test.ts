// Changes as they happen, with the official client.

import type { RealtimeChannel, RealtimePostgresChangesPayload } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { ADMIN, type Portaria } from '../fixtures/server.ts';
import { type ApiClient, adminClient, createPerson, expectOk, signIn, unwrap } from '../helpers/api.ts';
import { openServer } from './server.ts';

type Row = Record<string, unknown>;
type Change = RealtimePostgresChangesPayload<Row>;

/** A joined channel with everything that it received. */
interface Listener {
  readonly channel: RealtimeChannel;
  readonly changes: Change[];
  readonly statuses: string[];
}

function listen(client: ApiClient, topic: string, table: string, filter?: string): Listener {
  const changes: Change[] = [];
  const statuses: string[] = [];
  const wanted = { event: '*', schema: 'public', table, ...(filter !== undefined && { filter }) } as const;
  const channel = client
    .channel(topic)
    .on('postgres_changes', wanted, (change: Change) => changes.push(change))
    .subscribe((status) => statuses.push(status));
  return { channel, changes, statuses };
}

async function joined(listener: Listener): Promise<Listener> {
  await vi.waitFor(() => expect(listener.statuses).toContain('SUBSCRIBED'), { timeout: 10_000 });
  return listener;
}

/** The kinds of the changes in their order. One action can change a row several times. */
function kinds({ changes }: Listener): string[] {
  const all = changes.map(({ eventType }) => eventType);
  return all.filter((kind, place) => kind !== all[place - 1]);
}

async function createTicket(client: ApiClient, subject: string): Promise<string> {
  const row = { subject, message: 'Uma mensagem longa o bastante.' };
  return (await unwrap(client.from('tickets').insert(row).select('id').single())).id;
}

describe('changes', () => {
  let portaria: Portaria;
  let admin: ApiClient;
  let joao: ApiClient;
  let maria: ApiClient;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    admin = await signIn(portaria, ADMIN);
    joao = await signIn(portaria, await createPerson(portaria, admin, 'João', 'joao@padaria.com.br'));
    maria = await signIn(portaria, await createPerson(portaria, admin, 'Maria', 'maria@clinica.com.br'));
    return async () => {
      await Promise.all([admin, joao, maria].map((client) => client.removeAllChannels()));
    };
  });

  test('reach those who may read the row, with the columns that they may read', async () => {
    const own = await joined(listen(joao, 'tickets', 'tickets'));
    const others = await joined(listen(maria, 'tickets', 'tickets'));
    const office = await joined(listen(admin, 'tickets', 'tickets'));

    const id = await createTicket(joao, 'Guia de novembro');
    await vi.waitFor(() => expect(kinds(own)).toContain('INSERT'));
    expect(own.changes[0]).toMatchObject({ eventType: 'INSERT', schema: 'public', table: 'tickets' });
    expect(own.changes[0]?.new).toMatchObject({ id, subject: 'Guia de novembro', closed_at: null });
    expect(own.changes[0]?.new).not.toHaveProperty('user_id');

    await expectOk(admin.from('tickets').update({ status: 'in-progress' }).eq('id', id));
    // An event contains the present row, so an update of a row that is gone already has none.
    await vi.waitFor(() => expect(kinds(own)).toContain('UPDATE'));
    await vi.waitFor(() => expect(kinds(office)).toContain('UPDATE'));
    await expectOk(admin.from('tickets').delete().eq('id', id));
    await vi.waitFor(() => expect(kinds(own)).toEqual(['INSERT', 'UPDATE', 'DELETE']));
    expect(own.changes.at(-1)).toMatchObject({ new: {}, old: { id } });
    await vi.waitFor(() => expect(kinds(office)).toEqual(['INSERT', 'UPDATE', 'DELETE']));
    expect(office.changes[0]?.new).toHaveProperty('user_id');

    // The first change that Maria receives is her own.
    const hers = await createTicket(maria, 'Folha de pagamento');
    await vi.waitFor(() => expect(kinds(others)).toContain('INSERT'));
    expect(others.changes[0]?.new).toMatchObject({ id: hers });
    await Promise.all([own, others, office].map(({ channel }) => channel.unsubscribe()));
  });

  test('pass the filter of their subscription', async () => {
    const urgent = await joined(listen(joao, 'urgent', 'tickets', 'priority=in.(high,urgent)'));
    await createTicket(joao, 'Sem pressa');
    const row = {
      subject: 'Com pressa',
      message: 'Uma mensagem longa o bastante.',
      priority: 'high' as const,
    };
    await expectOk(joao.from('tickets').insert(row));
    await vi.waitFor(() => expect(kinds(urgent)).toContain('INSERT'));
    expect(urgent.changes[0]?.new).toMatchObject({ subject: 'Com pressa' });
    await urgent.channel.unsubscribe();
  });

  test('of tables that do not exist for the caller are refused', async () => {
    for (const table of ['saved_replies', 'outbox', 'nonesuch']) {
      const refused = listen(joao, `refused ${table}`, table);
      await vi.waitFor(() => expect(refused.statuses).toContain('CHANNEL_ERROR'));
      await joao.removeChannel(refused.channel);
    }
  });

  test('end with the session', async () => {
    const person = await createPerson(portaria, admin, 'Rui', 'rui@oficina.com.br');
    const rui = await signIn(portaria, person);
    const own = await joined(listen(rui, 'tickets', 'tickets'));
    const api = await adminClient(portaria, admin);
    await unwrap(api.auth.admin.updateUserById(person.id, { ban_duration: '1h' }));
    await vi.waitFor(() => expect(own.statuses).toContain('CLOSED'), { timeout: 5_000 });
    await rui.removeAllChannels();
  });

  test('are announced again after a restart of the server', async () => {
    const own = await joined(listen(joao, 'restart', 'tickets'));
    await portaria.stopServer();
    await portaria.startServer();
    await vi.waitFor(() => expect(own.statuses.filter((status) => status === 'SUBSCRIBED')).toHaveLength(2), {
      timeout: 20_000,
    });
    const id = await createTicket(joao, 'Depois do reinício');
    await vi.waitFor(() => expect(own.changes.at(-1)?.new).toMatchObject({ id }));
    await own.channel.unsubscribe();
  });
});
