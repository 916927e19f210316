// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { expect, test, vi } from 'vitest';

import { queryClient } from '~/lib/api/query-client';
import { find, perform, render } from '~/testing/render';

import { useApiMutation } from './use-api-mutation';

vi.mock('~/lib/api/supabase', () => ({ hasStoredSession: () => true }));

test('useApiMutation › the second click of a double click does nothing', async () => {
  const send = vi.fn<(word: string) => Promise<void>>(() => Promise.resolve());
  function Form() {
    const { mutate } = useApiMutation({ mutationFn: send });
    return (
      <button type="button" onClick={() => mutate('refuse')}>
        Recusar
      </button>
    );
  }
  await render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  const button = find('button');
  await perform(() => {
    button.click();
    button.click();
  });
  expect(send).toHaveBeenCalledTimes(1);
  await perform(() => button.click());
  expect(send).toHaveBeenCalledTimes(2);
});

test('useApiMutation › the second click does nothing while the first has no answer, after a render too', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const send = vi.fn<(request: { clients: string[] }) => Promise<void>>(() => promise);
  function Form() {
    const [clicks, setClicks] = useState(0);
    const { mutate } = useApiMutation({ mutationFn: send });
    const ask = () => {
      mutate({ clients: ['1', '2'] });
      setClicks(clicks + 1);
    };
    return (
      <button type="button" onClick={ask}>
        {clicks}
      </button>
    );
  }
  await render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  const button = find('button');
  await perform(() => button.click());
  expect(button.textContent).toBe('1');
  await perform(() => button.click());
  expect(send).toHaveBeenCalledTimes(1);
  await perform(() => resolve());
  await perform(() => button.click());
  expect(send).toHaveBeenCalledTimes(2);
});

test('useApiMutation › a change back is sent while the first change has no answer', async () => {
  const send = vi.fn<(status: string) => Promise<void>>(() => new Promise(() => {}));
  function Form() {
    const { mutate } = useApiMutation({ mutationFn: send });
    return (
      <button type="button" onClick={() => ['open', 'closed', 'open'].forEach((status) => mutate(status))}>
        Mudar
      </button>
    );
  }
  await render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  await perform(() => find('button').click());
  expect(send.mock.calls.map(([status]) => status)).toEqual(['open', 'closed', 'open']);
});

test('useApiMutation › two inputs of one event are both sent', async () => {
  const send = vi.fn<(change: { id: string; name: string }) => Promise<void>>(() => Promise.resolve());
  function Form() {
    const { mutate } = useApiMutation({ mutationFn: send });
    const rename = (id: string) => mutate({ id, name: 'DAS' });
    return (
      <button
        type="button"
        onClick={() => {
          rename('1');
          rename('1');
          rename('2');
        }}
      >
        Renomear
      </button>
    );
  }
  await render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  await perform(() => find('button').click());
  expect(send.mock.calls.map(([{ id }]) => id)).toEqual(['1', '2']);
});

test('useApiMutation › an effect that depends on mutate runs once', async () => {
  const record = vi.fn<(word: string) => Promise<void>>(() => Promise.resolve());
  function Page() {
    const { mutate } = useApiMutation({ mutationFn: record });
    useEffect(() => mutate('opened'), [mutate]);
    return null;
  }
  await render(
    <QueryClientProvider client={queryClient}>
      <Page />
    </QueryClientProvider>,
  );
  expect(record).toHaveBeenCalledTimes(1);
});
