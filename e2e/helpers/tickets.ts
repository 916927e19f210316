// Tickets and replies, inserted directly.

import type { Portaria } from '../fixtures/server.ts';
import { type ApiClient, unwrap, expectOk, type Person, serviceClient } from './api.ts';

export interface TicketFields {
  readonly subject: string;
  readonly message?: string;
  readonly status?: 'open' | 'in-progress' | 'closed';
  readonly created_at?: string;
  readonly closed_at?: string;
}

/** Inserts tickets of a client. Returns their ids in the same order. */
export async function addTickets(
  portaria: Portaria,
  owner: Person,
  tickets: readonly TicketFields[],
): Promise<string[]> {
  // All rows of a bulk insert must have the same columns.
  const rows = tickets.map((fields) => ({
    status: 'open' as const,
    closed_at: null,
    message: 'Uma mensagem longa o bastante.',
    ...fields,
    user_id: owner.id,
  }));
  const inserted = await unwrap(serviceClient(portaria).from('tickets').insert(rows).select('id'));
  return inserted.map(({ id }) => id);
}

export async function addTicket(portaria: Portaria, owner: Person, fields: TicketFields): Promise<string> {
  const [id] = await addTickets(portaria, owner, [fields]);
  if (id === undefined) {
    throw new Error('No ticket was inserted.');
  }
  return id;
}

/** Counts a client's tickets. */
export async function countTickets(portaria: Portaria, owner: Person): Promise<number> {
  const { count } = await expectOk(
    serviceClient(portaria)
      .from('tickets')
      .select('*', { count: 'exact', head: true })
      .eq('user_id', owner.id),
  );
  return count ?? 0;
}

/** Inserts a reply of the staff, with an optional file. */
export async function addStaffReply(
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

/** Inserts numbered replies of the staff, `Mensagem 1` to `Mensagem {count}`, in this order. */
export async function addStaffReplies(admin: ApiClient, ticket: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    // In sequence, because the server assigns the times.
    await addStaffReply(admin, ticket, `Mensagem ${number}`);
  }
}
