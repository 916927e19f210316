// @vitest-environment happy-dom
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, test, vi } from 'vitest';

import { find, perform, render, type } from '~/testing/render';

import { useUrlDay } from './use-url-day';
import { useUrlParams } from './use-url-params';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

function List() {
  const url = useUrlParams();
  const { typed, onChange, clear } = useUrlDay('de', url);
  return (
    <>
      <input type="date" value={typed} onChange={onChange} />
      <button
        type="button"
        aria-label="Limpar filtros"
        onClick={() => {
          clear();
          url[2]();
        }}
      />
    </>
  );
}

async function open(address: string) {
  const router = createMemoryRouter([{ path: '/', Component: List }], { initialEntries: [address] });
  await render(<RouterProvider router={router} />);
  return router;
}

const text = () => Reflect.get(find('input'), 'value');

test('a date can be typed, digit by digit of its year', async () => {
  const router = await open('/?tipo=tickets');
  await type(find('input'), '0002-11-15');
  expect(text()).toBe('0002-11-15');
  expect(router.state.location.search).toBe('?tipo=tickets');
  for (const year of ['0020', '0202', '2026']) {
    await type(find('input'), `${year}-11-15`);
    expect(text()).toBe(`${year}-11-15`);
  }
  expect(router.state.location.search).toBe('?tipo=tickets&de=2026-11-15');
});

test('the parameter goes with an empty field, not with one that is typed in part', async () => {
  const router = await open('/?de=2026-11-15');
  const field = find('input');
  Object.defineProperty(field, 'validity', { value: { badInput: true }, configurable: true });
  await type(field, '');
  expect(router.state.location.search).toBe('?de=2026-11-15');
  Reflect.deleteProperty(field, 'validity');
  await type(field, '2026-11-16');
  await type(field, '');
  expect(router.state.location.search).toBe('');
});

test('a removed filter empties the field, and so does a link to the page', async () => {
  const router = await open('/?de=2026-11-15');
  await perform(() => find('button').click());
  expect(text()).toBe('');
  await type(find('input'), '2026-11-15');
  await perform(() => router.navigate('/'));
  expect(text()).toBe('');
});
