import { beforeEach, describe, expect, test } from 'vitest';

import { dismissToast, MAX_TOASTS, toast, toastStore } from './toast';

const titles = () => toastStore.get().map(({ title }) => title);

describe('toasts', () => {
  beforeEach(() => {
    for (const { id } of toastStore.get()) dismissToast(id);
  });

  test('several are visible at once, the newest last', () => {
    toast({ title: 'Salvo' });
    toast({ title: 'Erro', variant: 'error' });
    expect(titles()).toEqual(['Salvo', 'Erro']);
  });

  test('the same message is shown once, as the newest', () => {
    const first = toast({ title: 'Erro', variant: 'error' });
    toast({ title: 'Salvo' });
    const again = toast({ title: 'Erro', variant: 'error' });
    expect(again).not.toBe(first);
    expect(titles()).toEqual(['Salvo', 'Erro']);
  });

  test('the same title with another description is another message', () => {
    toast({ title: 'Erro', description: 'Sem conexão.', variant: 'error' });
    toast({ title: 'Erro', description: 'Recusado.', variant: 'error' });
    expect(titles()).toEqual(['Erro', 'Erro']);
  });

  test('dismissal removes one and leaves the others', () => {
    const first = toast({ title: 'Erro', variant: 'error' });
    toast({ title: 'Salvo' });
    dismissToast(first);
    dismissToast(first);
    expect(titles()).toEqual(['Salvo']);
  });

  test('a full screen gives up its oldest', () => {
    for (let more = 0; more <= MAX_TOASTS; more += 1) toast({ title: `Erro ${more}`, variant: 'error' });
    expect(titles()).toEqual(['Erro 1', 'Erro 2', 'Erro 3', 'Erro 4']);
  });

  test('a listener is called for each change until it unsubscribes', () => {
    let calls = 0;
    const unsubscribe = toastStore.subscribe(() => {
      calls += 1;
    });
    dismissToast(toast({ title: 'Salvo' }));
    unsubscribe();
    toast({ title: 'Outro' });
    expect(calls).toBe(2);
  });
});
