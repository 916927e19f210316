// Lists a client's documents, downloads the newest one, and opens a ticket, with the official client.

import { writeFile } from 'node:fs/promises';

import { createClient } from '@supabase/supabase-js';

const { PORTAL_URL, PORTAL_ANON_KEY, PORTAL_EMAIL, PORTAL_PASSWORD } = process.env;
const portal = createClient(PORTAL_URL, PORTAL_ANON_KEY, { auth: { persistSession: false } });

/** Returns the data of an answer. The client library returns errors and does not throw them. */
async function unwrap(answer) {
  const { data, error } = await answer;
  if (error) throw error;
  return data;
}

const { user } = await unwrap(
  portal.auth.signInWithPassword({ email: PORTAL_EMAIL, password: PORTAL_PASSWORD }),
);
console.log(`Signed in as ${user.email}`);

// The rows are the client's own: the query names no owner.
const documents = await unwrap(
  portal.from('documents').select('name, file_url, expires_at').order('created_at', { ascending: false }),
);
for (const { name, expires_at } of documents) console.log(`Document: ${name}, due ${expires_at ?? 'never'}`);

const [newest] = documents;
if (newest) {
  const file = await unwrap(portal.storage.from('client-documents').download(newest.file_url));
  await writeFile('newest.pdf', file.stream());
  console.log(`Downloaded ${file.size} bytes`);
}

const ticket = await unwrap(
  portal
    .from('tickets')
    .insert({ subject: 'Dúvida sobre o documento', message: 'Este ticket foi aberto por um exemplo.' })
    .select('id, status')
    .single(),
);
console.log(`Ticket: ${ticket.status}`);

// Ends the session on the server, and with it the timer that would refresh it.
await unwrap(portal.auth.signOut({ scope: 'local' }));
