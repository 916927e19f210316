// The main use case end to end with the unmodified official client: an office sends a client a document.

import { beforeAll, describe, expect, test } from 'vitest';

import type { Portaria } from '../fixtures/server.ts';
import { BUCKET, unwrap, expectOk, type Seed, seedOffice, signIn, present } from '../helpers/api.ts';
import { SAMPLE_PDF_NAME, sha256 } from '../helpers/pdf.ts';
import { openServer } from './server.ts';

describe('main use case', () => {
  let portaria: Portaria;
  let office: Seed;

  beforeAll(async () => {
    portaria = await openServer();
    return () => portaria.stop();
  });

  beforeAll(async () => {
    office = await seedOffice(portaria);
  });

  test("the administrator's list shows the document with its folder and client", async () => {
    const documents = await unwrap(
      office.admin
        .from('documents')
        .select('*, folders(name), clients(id, email)')
        .order('uploaded_at', { ascending: false }),
    );
    expect(documents).toMatchObject([
      {
        id: office.document.id,
        name: SAMPLE_PDF_NAME,
        type: 'pdf',
        status: 'active',
        file_url: office.document.path,
        size: office.document.bytes.length,
        folders: { name: 'Faturas' },
        clients: { id: office.joao.id, email: office.joao.email },
      },
    ]);
  });

  test("a date without a time covers the whole day in the portal's zone", async () => {
    const { created_at, expires_at } = await unwrap(
      office.admin.from('documents').select('created_at, expires_at').eq('id', office.document.id).single(),
    );
    // São Paulo is three hours behind UTC.
    expect(new Date(created_at).toISOString()).toBe('2026-11-20T03:00:00.000Z');
    expect(new Date(present(expires_at)).toISOString()).toBe('2027-04-01T02:59:59.000Z');
  });

  test("the client's folders count the client's own documents", async () => {
    const client = await signIn(portaria, office.joao);
    const folders = await unwrap(client.from('folders').select('*, documents(count)').order('position'));
    expect(folders.map(({ name, icon, documents }) => [name, icon, documents])).toEqual([
      ['Contratos', 'file-text', [{ count: 0 }]],
      ['Faturas', 'receipt', [{ count: 1 }]],
      ['Documentos Pessoais', 'user', [{ count: 0 }]],
    ]);
  });

  test('the client downloads the document byte for byte', async () => {
    const client = await signIn(portaria, office.joao);
    const [document, ...others] = await unwrap(
      client.from('documents').select('*, folders(name)').order('uploaded_at', { ascending: false }),
    );
    expect(others).toEqual([]);
    expect(document).toMatchObject({ id: office.document.id, folders: { name: 'Faturas' } });
    expect(document).not.toHaveProperty('client_id');

    const file = await unwrap(client.storage.from(BUCKET).download(present(document?.file_url)));
    expect(file.type).toBe('application/pdf');
    expect(sha256(await file.bytes())).toBe(sha256(office.document.bytes));
  });

  test('a signed link serves the file under its own name without a session', async () => {
    const client = await signIn(portaria, office.joao);
    const { signedUrl } = await unwrap(
      client.storage.from(BUCKET).createSignedUrl(office.document.path, 60, { download: SAMPLE_PDF_NAME }),
    );
    const response = await fetch(signedUrl);
    expect(response.status).toBe(200);
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment;/);
    expect(decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1] ?? '')).toBe(
      SAMPLE_PDF_NAME,
    );
    expect(sha256(await response.bytes())).toBe(sha256(office.document.bytes));
  });

  test('a signed link for another path is refused', async () => {
    const client = await signIn(portaria, office.joao);
    const { signedUrl } = await unwrap(client.storage.from(BUCKET).createSignedUrl(office.document.path, 60));
    const forged = signedUrl.replace(office.joao.id, office.mariana.id);
    expect(forged).not.toBe(signedUrl);
    expect((await fetch(forged)).ok).toBe(false);
  });

  test('a range request returns a part of the file', async () => {
    const client = await signIn(portaria, office.joao);
    const { signedUrl } = await unwrap(client.storage.from(BUCKET).createSignedUrl(office.document.path, 60));
    const response = await fetch(signedUrl, { headers: { Range: 'bytes=0-3' } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('%PDF');
  });

  test('the client opens a ticket, reads it and closes it', async () => {
    const client = await signIn(portaria, office.joao);
    const input = {
      subject: 'Dúvida sobre a declaração',
      category: 'billing',
      priority: 'high',
      message: 'Qual é o prazo?',
    } as const;
    const ticket = await unwrap(
      client
        .from('tickets')
        .insert({ ...input, created_at: '2001-01-01 00:00:00', status: 'closed' })
        .select()
        .single(),
    );
    // The server sets the creation time and the status.
    expect(ticket).toMatchObject({ ...input, status: 'open' });
    expect(new Date(ticket.created_at).getFullYear()).toBeGreaterThan(2001);
    expect(ticket).not.toHaveProperty('user_id');

    await expectOk(client.from('tickets').update({ status: 'closed' }).eq('id', ticket.id));
    const [mine] = await unwrap(client.from('tickets').select('*').order('created_at', { ascending: false }));
    expect(mine).toMatchObject({ id: ticket.id, status: 'closed' });

    const staffView = await unwrap(
      office.admin.from('tickets').select('id, clients(email)').eq('id', ticket.id).single(),
    );
    expect(staffView).toMatchObject({ clients: { email: office.joao.email } });
  });
});
