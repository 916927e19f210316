// @vitest-environment happy-dom
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, test } from 'vitest';

import { find, perform, render } from '~/testing/render';

import { useUrlParams } from './use-url-params';

function Filters() {
  const [params, set, clear] = useUrlParams();
  return (
    <>
      <output>{params.toString()}</output>
      <button
        id="both"
        onClick={() => {
          set('busca', 'DAS');
          set('status', 'all');
        }}
      >
        Both
      </button>
      <button id="remove" onClick={() => set('busca', '')}>
        Remove
      </button>
      <button id="clear" onClick={clear}>
        Clear
      </button>
    </>
  );
}

async function open(address: string) {
  // Its loader lets a navigation end later.
  const routes = [{ path: '/', loader: () => Promise.resolve(null), Component: Filters }];
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  await render(<RouterProvider router={router} />);
  await perform(() => Promise.resolve());
  return async (id: string) => {
    await perform(async () => {
      find(`#${id}`).click();
      await new Promise((resolve) => setTimeout(resolve));
    });
    return find('output').textContent;
  };
}

test('two changes in a row are both kept', async () => {
  const press = await open('/?status=open&pagina=2');
  expect(await press('both')).toBe('status=all&pagina=2&busca=DAS');
  expect(await press('remove')).toBe('status=all&pagina=2');
  expect(await press('clear')).toBe('');
});
