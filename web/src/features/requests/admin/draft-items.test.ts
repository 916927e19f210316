import { expect, test } from 'vitest';

import { emptyItem, fillFromTemplate } from './draft-items';

const named = (name: string) => ({ ...emptyItem(), name });
const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);
const template = ['Extrato', 'Notas'].map((name) => ({ name, hint: null, repeats_monthly: true }));

test('template replaces blank items and keeps typed ones', () => {
  const { kept, added } = fillFromTemplate([named('Recibo'), emptyItem(), named(' Notas ')], [], template);
  expect(namesOf(kept)).toEqual(['Recibo', ' Notas ']);
  expect(namesOf(added)).toEqual(['Extrato']);
});

test('template replaces the unchanged items of the template before', () => {
  const first = fillFromTemplate([named('Recibo')], [], template).added;
  const changed = first.map((item) => (item.name === 'Notas' ? { ...item, hint: 'Em PDF' } : item));
  const { kept, added } = fillFromTemplate([named('Recibo'), ...changed], first, [
    { name: 'Folha', hint: null, repeats_monthly: false },
  ]);
  expect(namesOf(kept)).toEqual(['Recibo', 'Notas']);
  expect(namesOf(added)).toEqual(['Folha']);
});
