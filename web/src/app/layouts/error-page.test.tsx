// @vitest-environment happy-dom
import { createMemoryRouter, type RouteObject, RouterProvider } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { paths } from '~/paths';
import { routes } from '~/routes';
import { find, perform, render } from '~/testing/render';

import { AppShell } from './app-shell';
import { AuthErrorPage, ErrorPage, LayoutErrorPage } from './error-page';

const config = { product_name: 'Portaria', office: { logo: null } };
vi.mock('~/lib/api/server-config', () => ({
  serverConfig: () => config,
  subscribeServerConfig: () => () => {},
}));
vi.mock(import('~/lib/api/server-status'), async (original) => ({
  ...(await original()),
  pingServer: () => Promise.resolve(true),
}));

const TITLE = 'Não foi possível abrir a página';

function BrokenPage(): never {
  throw new Error('cannot render');
}

function Layout() {
  const entries = [{ to: '/sound', label: 'Documentos', icon: null }];
  return (
    <AppShell
      classes={{ header: '', sidebar: '', mark: '', entry: '', active: '', menu: '' }}
      name="Portaria"
      home="/"
      navLabel="Principal"
      entries={entries}
      account={null}
    />
  );
}

const open = (path: string, table: RouteObject[]) =>
  render(<RouterProvider router={createMemoryRouter(table, { initialEntries: [path] })} />);
const heading = () => document.querySelector('h1')?.textContent;

describe('a page that throws while it renders', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });

  test('leaves the navigation of its layout usable', async () => {
    await open('/broken', [
      {
        Component: Layout,
        ErrorBoundary: ErrorPage,
        children: [
          {
            ErrorBoundary: LayoutErrorPage,
            children: [
              { path: '/broken', Component: BrokenPage },
              { path: '/sound', Component: () => <h1>Documentos</h1> },
            ],
          },
        ],
      },
    ]);
    expect(heading()).toBe(TITLE);
    expect(find('main [role=alert]').textContent).toBe(
      'Ocorreu um erro inesperado. Recarregue a página para continuar.',
    );
    expect(find('main button').textContent).toBe('Tentar novamente');
    await perform(() => find('aside a', 'Documentos').click());
    expect(heading()).toBe('Documentos');
  });

  test.each([
    [paths.forgotPassword(), paths.login()],
    [paths.setup(), paths.adminLogin()],
  ])('at %s leads back to %s', async (path, signIn) => {
    await open(path, [
      {
        ErrorBoundary: AuthErrorPage,
        children: [
          { path, Component: BrokenPage },
          { path: signIn, Component: () => <h1>Entrar</h1> },
        ],
      },
    ]);
    await vi.waitFor(() => expect(heading()).toBe(TITLE));
    await perform(() => find('a', 'Voltar para o Login').click());
    expect(heading()).toBe('Entrar');
  });
});

test('every page of the route table stands inside the boundary of its layout', () => {
  const boundaries = (table: RouteObject[], nearest: unknown): unknown[] =>
    table.flatMap(({ path, children, ErrorBoundary = nearest }) =>
      path === undefined || path === '*' ? boundaries(children ?? [], ErrorBoundary) : [ErrorBoundary],
    );
  const found = boundaries(routes, null);
  expect(found.length).toBeGreaterThan(30);
  for (const boundary of found) expect([AuthErrorPage, LayoutErrorPage]).toContain(boundary);
});
