// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';

import { sendReply } from '~/features/tickets/api/ticket-thread';
import { queryClient } from '~/lib/api/query-client';
import { find, perform, render, type } from '~/testing/render';

import { useReply } from './use-reply';

vi.mock('~/lib/api/supabase', () => ({ hasStoredSession: () => true }));
vi.mock('~/features/auth/session', () => ({ useUser: () => ({ id: 'ana' }) }));
vi.mock('~/features/tickets/api/ticket-thread', () => ({ sendReply: vi.fn<() => Promise<void>>() }));

function Reply() {
  const { form, send } = useReply({ ticketId: '1', sender: null, success: () => null });
  return (
    <>
      <textarea value={form.body} onChange={({ target }) => form.onBodyChange(target.value)} />
      <button type="button" disabled={form.pending} onClick={() => send()}>
        Enviar
      </button>
    </>
  );
}

/** A page that is left and opened again. */
function Visits() {
  const [visit, setVisit] = useState(1);
  return (
    <>
      <Reply key={visit} />
      <button type="button" onClick={() => setVisit(visit + 1)}>
        Voltar
      </button>
    </>
  );
}

test.each([
  ['as it was', '', ''],
  ['with more text', ' Obrigada.', 'Obrigada.'],
])('a reply that arrives after its form was left goes from the next form, %s', async (_, more, rest) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  vi.mocked(sendReply).mockReturnValueOnce(promise);
  await render(
    <QueryClientProvider client={queryClient}>
      <Visits />
    </QueryClientProvider>,
  );
  await type(find('textarea'), 'Segue a guia.');
  await perform(() => find('button', 'Enviar').click());
  await perform(() => find('button', 'Voltar').click());
  expect(find('textarea')).toHaveProperty('value', 'Segue a guia.');
  expect(find('button', 'Enviar')).toHaveProperty('disabled', true);
  if (more !== '') await type(find('textarea'), `Segue a guia.${more}`);
  await perform(resolve);
  await vi.waitFor(() => expect(find('button', 'Enviar')).toHaveProperty('disabled', false));
  expect(find('textarea')).toHaveProperty('value', rest);
  await type(find('textarea'), '');
});
