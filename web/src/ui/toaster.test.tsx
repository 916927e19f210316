// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { dismissToast, toast, toastStore } from '~/lib/toast';
import { find, perform, render } from '~/testing/render';

import { Toaster } from './toaster';

const shown = () => [...document.querySelectorAll('[data-slot=toast] p')].map((title) => title.textContent);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  for (const { id } of toastStore.get()) dismissToast(id);
});

test('an error stays until it is dismissed; another toast leaves after five seconds', async () => {
  await render(<Toaster />);
  await perform(() => {
    toast({ title: 'Cliente criado' });
  });
  expect(find('[role=status]').textContent).toBe('Cliente criado');
  await perform(() => vi.advanceTimersByTime(4_900));
  expect(shown()).toEqual(['Cliente criado']);
  await perform(() => vi.advanceTimersByTime(200));
  expect(shown()).toEqual([]);
  await perform(() => {
    toast({ title: 'Erro ao salvar', variant: 'error' });
  });
  expect(find('[role=alert]').textContent).toBe('Erro ao salvar');
  await perform(() => vi.advanceTimersByTime(3_600_000));
  expect(shown()).toEqual(['Erro ao salvar']);
  await perform(() => find('[aria-label="Dispensar aviso"]').click());
  expect(shown()).toEqual([]);
});

test('a toast with a button stays longer, and leaves with the click', async () => {
  const run = vi.fn<() => void>();
  await render(<Toaster />);
  await perform(() => {
    toast({ title: '2 documentos excluídos', action: { label: 'Desfazer', run } });
  });
  await perform(() => vi.advanceTimersByTime(11_000));
  expect(shown()).toEqual(['2 documentos excluídos']);
  await perform(() => find('[role=status] button:not([aria-label])').click());
  expect(run).toHaveBeenCalledOnce();
  expect(shown()).toEqual([]);
});
