// @vitest-environment happy-dom
import { FolderX } from 'lucide-react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { markListsRestored } from '~/lib/lists-restored';
import { find, perform, render } from '~/testing/render';

import { QueryContent } from './query-content';
import { QueryList } from './query-list';
import { QueryTable } from './query-table';
import { RecordPage } from './record-page';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ product_name: 'Portaria' }) }));

const refetch = vi.fn<() => void>();
const pending = { data: undefined, isPending: true, isError: false, refetch };
const failed = { data: undefined, isPending: false, isError: true, refetch };
const loaded = <Data,>(data: Data) => ({ data, isPending: false, isError: false, refetch });
const loading = <p role="status">Carregando…</p>;
const empty = { icon: null, title: 'Nenhuma pasta encontrada' };
const text = () => document.body.textContent;

beforeEach(() => {
  refetch.mockReset();
});

async function expectRetry() {
  expect(find('[role=alert] p.font-medium').textContent).toBe(
    'Não foi possível carregar os dados do servidor.',
  );
  await perform(() => find('[role=alert] button', 'Tentar novamente').click());
  expect(refetch).toHaveBeenCalledOnce();
}

const showContent = (query: Omit<Parameters<typeof QueryContent<string>>[0]['query'], 'refetch'>) =>
  render(
    <QueryContent query={{ ...query, refetch }} loading={loading}>
      {(data) => <p>{data}</p>}
    </QueryContent>,
  );

describe('the content of a query', () => {
  test('is announced while it loads', async () => {
    await showContent(pending);
    expect(text()).toBe('Carregando…');
  });

  test('that cannot be read offers to try again', async () => {
    await showContent(failed);
    await expectRetry();
  });

  test('that waits for the network says so once the kept lists have been read', async () => {
    await showContent({ ...pending, isPaused: true });
    expect(text()).toBe('Carregando…');
    await perform(async () => {
      markListsRestored();
      await import('./offline-note');
    });
    await vi.waitFor(() => expect(text()).toContain('Não disponível sem conexão'));
  });

  test('stays in view when a refetch fails', async () => {
    await showContent({ ...failed, data: 'Ana' });
    expect(text()).toBe('Ana');
  });
});

describe('a list', () => {
  type Query = Parameters<typeof QueryList>[0]['query'];
  const show = (query: Query, rows: string[] | undefined, canBeEmpty = true) =>
    render(
      <QueryList query={query} rows={rows} loading={loading} empty={empty} canBeEmpty={canBeEmpty} card>
        {(shown) => (
          <ul>
            {shown.map((row) => (
              <li key={row}>{row}</li>
            ))}
          </ul>
        )}
      </QueryList>,
    );

  test('is announced while it loads', async () => {
    await show(pending, undefined);
    expect(text()).toBe('Carregando…');
  });

  test('that cannot be read offers to try again', async () => {
    await show(failed, undefined);
    await expectRetry();
  });

  test('without rows says so', async () => {
    await show(loaded([]), []);
    expect(text()).toBe('Nenhuma pasta encontrada');
  });

  test('that may still get rows says nothing', async () => {
    await show(loaded([]), [], false);
    expect(text()).toBe('');
  });

  test('shows its rows, also when a refetch fails', async () => {
    await show({ ...failed, data: [] }, ['Contratos', 'Impostos']);
    expect([...document.querySelectorAll('li')].map((row) => row.textContent)).toEqual([
      'Contratos',
      'Impostos',
    ]);
    expect(document.querySelector('[role=alert]')).toBeNull();
  });

  test('that is read by pages offers the next one', async () => {
    const fetchNextPage = vi.fn<() => void>();
    const paged = { hasNextPage: true, isFetchingNextPage: false, isFetchNextPageError: true, fetchNextPage };
    await show({ ...loaded([]), ...paged }, ['Contratos']);
    await perform(() => find('button', 'Carregar mais').click());
    expect(fetchNextPage).toHaveBeenCalledOnce();
  });
});

test('a table has a name and says when its rows are of the search before', async () => {
  await render(
    <QueryTable
      query={{ ...loaded([]), isPlaceholderData: true }}
      rows={[{ id: '1', name: 'Ana' }]}
      caption="Clientes"
      columns={[{ header: 'Nome', cell: ({ name }) => name }]}
      rowKey={({ id }) => id}
      empty={empty}
    />,
  );
  expect(find('caption').textContent).toBe('Clientes');
  expect(find('[aria-busy=true] td').textContent).toContain('Ana');
});

const showRecord = (query: { data: string | null | undefined; isPending: boolean; isError: boolean }) => {
  const page = (
    <RecordPage
      query={{ ...query, refetch }}
      title="Pasta"
      notFound={{ icon: FolderX, title: 'Pasta não encontrada', hint: 'Ela foi removida.' }}
      back={{ to: '/documents', label: 'Voltar para Documentos' }}
      loading={loading}
    >
      {(name) => <h1>{name}</h1>}
    </RecordPage>
  );
  return render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />);
};

describe('the page of a record', () => {
  test('shows the record, also when a refetch fails', async () => {
    await showRecord({ ...failed, data: 'Contratos' });
    expect(find('h1').textContent).toBe('Contratos');
  });

  test('is announced while it loads', async () => {
    await showRecord(pending);
    expect(text()).toBe('Carregando…');
  });

  test('that cannot be read offers to try again', async () => {
    await showRecord(failed);
    expect(document.title).toBe('Pasta · Portaria');
    await expectRetry();
  });

  test('without a record says so in its own words, and leads back', async () => {
    await showRecord(loaded(null));
    expect(document.title).toBe('Pasta não encontrada · Portaria');
    expect(find('h1').textContent).toBe('Pasta não encontrada');
    expect(find('a', 'Voltar para Documentos').getAttribute('href')).toBe('/documents');
  });
});
