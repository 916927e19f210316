// Tickets as tests need them: made by their clients, answered and closed by the office.

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, expectOk, type Person, serviceClient } from './api.ts';

export interface TicketFields {
  readonly subject: string;
  readonly message?: string;
  readonly status?: 'open' | 'in-progress' | 'closed';
  readonly created_at?: string;
  readonly closed_at?: string;
}

/** Inserts tickets of a client, and gives their ids in the same order. */
export async function addTickets(
  portaria: Portaria,
  owner: Person,
  tickets: readonly TicketFields[],
): Promise<string[]> {
  // What one row of a request says all of them say.
  const rows = tickets.map((fields) => ({
    status: 'open' as const,
    closed_at: null,
    message: 'Uma mensagem longa o bastante.',
    ...fields,
    user_id: owner.id,
  }));
  const made = await unwrap(serviceClient(portaria).from('tickets').insert(rows).select('id'));
  return made.map(({ id }) => id);
}

export async function addTicket(portaria: Portaria, owner: Person, fields: TicketFields): Promise<string> {
  const [id] = await addTickets(portaria, owner, [fields]);
  if (id === undefined) {
    throw new Error('No ticket was made.');
  }
  return id;
}

/** How many tickets a client has. */
export async function countTickets(portaria: Portaria, owner: Person): Promise<number> {
  const { count } = await expectOk(
    serviceClient(portaria)
      .from('tickets')
      .select('*', { count: 'exact', head: true })
      .eq('user_id', owner.id),
  );
  return count ?? 0;
}

/** A reply of the staff, perhaps with a file. */
export async function answer(
  admin: ApiClient,
  ticket: string,
  body: string,
  file?: { readonly name: string; readonly bytes: Buffer },
): Promise<void> {
  const message = await unwrap(
    admin.from('ticket_messages').insert({ ticket_id: ticket, body }).select('id').single(),
  );
  if (file) {
    const path = `office/${ticket}/${Date.now()}-${file.name}`;
    await unwrap(admin.storage.from('ticket-attachments').upload(path, new Uint8Array(file.bytes)));
    const row = { message_id: message.id, name: file.name, file_url: path };
    await expectOk(admin.from('ticket_attachments').insert(row));
  }
}
