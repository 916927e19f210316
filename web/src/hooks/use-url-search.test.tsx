// @vitest-environment happy-dom
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { find, perform, render, type } from '~/testing/render';

import { useUrlParams } from './use-url-params';
import { useUrlSearch } from './use-url-search';

function List() {
  const url = useUrlParams();
  const { typed, search, setTyped } = useUrlSearch('busca', url);
  return (
    <>
      <input value={typed} onChange={({ target }) => setTyped(target.value)} />
      <output>{search}</output>
    </>
  );
}

/** The page that a slow loader holds back. */
async function open(address: string) {
  const routes = [
    { path: '/', Component: List },
    {
      path: '/pasta',
      loader: () => new Promise((resolve) => setTimeout(resolve, 1000, null)),
      element: 'Pasta',
    },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  await render(<RouterProvider router={router} />);
  return router;
}

const wait = (ms: number) => perform(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('the URL follows the typed text after a pause', async () => {
  const router = await open('/?status=open');
  await type(find('input'), 'DAS');
  await wait(100);
  expect(router.state.location.search).toBe('?status=open');
  await wait(300);
  expect(router.state.location.search).toBe('?status=open&busca=DAS');
  expect(find('output').textContent).toBe('DAS');
});

test('a link to the page without a search empties the input', async () => {
  const router = await open('/?busca=DAS');
  expect(find('input')).toHaveProperty('value', 'DAS');
  await perform(() => router.navigate('/'));
  await wait(500);
  expect(find('input')).toHaveProperty('value', '');
  expect(router.state.location.search).toBe('');
});

test('the text does not end the navigation to a page that is still loading', async () => {
  const router = await open('/');
  await type(find('input'), 'DAS');
  await wait(100);
  await perform(() => void router.navigate('/pasta'));
  await wait(2000);
  expect(router.state.location.pathname).toBe('/pasta');
});

test('the text does not end a navigation that began in the same moment', async () => {
  const router = await open('/');
  await type(find('input'), 'DAS');
  await perform(async () => {
    await vi.advanceTimersByTimeAsync(249);
    void router.navigate('/pasta');
    await vi.advanceTimersByTimeAsync(1);
  });
  await wait(2000);
  expect(router.state.location.pathname).toBe('/pasta');
});
