import { beforeEach, describe, expect, test } from 'vitest';

import { dismissToast, MAX_WITH_BUTTON, runNewestAction, toast, toastStore } from './toast';

const UNDO = { label: 'Desfazer', run() {} };

const titles = () => toastStore.get().map(({ title }) => title);

describe('toasts', () => {
  beforeEach(() => {
    for (const { id } of toastStore.get()) dismissToast(id);
  });

  test('one is visible at a time, the newest', () => {
    toast({ title: 'Erro', variant: 'error' });
    const first = toast({ title: 'Salvo' });
    expect(titles()).toEqual(['Salvo']);
    expect(toast({ title: 'Salvo' })).not.toBe(first);
    expect(titles()).toEqual(['Salvo']);
  });

  test('those with a button stay beside it, also with equal texts', () => {
    toast({ title: 'Excluído', action: UNDO });
    toast({ title: 'Erro', variant: 'error' });
    toast({ title: 'Excluído', action: UNDO });
    expect(titles()).toEqual(['Excluído', 'Excluído']);
    toast({ title: 'Salvo' });
    expect(titles()).toEqual(['Excluído', 'Excluído', 'Salvo']);
  });

  test('dismissal removes one and leaves the others', () => {
    const first = toast({ title: 'Excluído', action: UNDO });
    toast({ title: 'Salvo' });
    dismissToast(first);
    dismissToast(first);
    expect(titles()).toEqual(['Salvo']);
  });

  test('a full screen gives up the oldest with a button', () => {
    for (let more = 0; more <= MAX_WITH_BUTTON; more += 1) toast({ title: `Excluído ${more}`, action: UNDO });
    expect(titles()).toEqual(['Excluído 1', 'Excluído 2', 'Excluído 3']);
  });

  test('the newest button acts and leaves', () => {
    let undone = '';
    for (const title of ['Excluído 1', 'Excluído 2']) {
      toast({ title, action: { label: 'Desfazer', run: () => (undone += title) } });
    }
    toast({ title: 'Salvo' });
    runNewestAction();
    expect([undone, titles()]).toEqual(['Excluído 2', ['Excluído 1', 'Salvo']]);
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

  test('a failed query does not replace the error of an action, but gives way to it', () => {
    const query = { title: 'Erro de Conexão', variant: 'error', yields: true } as const;
    toast(query);
    expect(titles()).toEqual(['Erro de Conexão']);
    const id = toast({ title: 'Erro ao enviar', variant: 'error' });
    toast(query);
    expect(titles()).toEqual(['Erro ao enviar']);
    dismissToast(id);
    toast(query);
    expect(titles()).toEqual(['Erro de Conexão']);
  });
});
