import { expect, test } from 'vitest';

import { clientOrNumberFilter, clientSearchFilter } from './clients';

test.each(['Padaria Aurora', 'joao@padaria.com.br', 'Rua 12', '12', 'a1b2'])(
  '%s is searched in names and addresses',
  (term) => {
    expect(clientOrNumberFilter(term)).toBe(clientSearchFilter(term));
  },
);

test.each([
  ['Conceição', 'email.ilike."%Conceição%",search_name.ilike."%conceicao%"'],
  ['padaria  1', 'email.ilike."%padaria  1%",and(search_name.ilike."%padaria%",search_name.ilike."%1%")'],
  ['a, b)', 'email.ilike."%a, b)%",and(search_name.ilike."%a,%",search_name.ilike."%b)%")'],
  [
    'um dois três quatro cinco seis',
    `email.ilike."%um dois três quatro cinco seis%",and(${['um', 'dois', 'tres', 'quatro', 'cinco seis'].map((part) => `search_name.ilike."%${part}%"`).join()})`,
  ],
])('all words of %j are searched in names', (term, filter) => {
  expect(clientSearchFilter(term)).toBe(filter);
});

test.each([
  [
    '12.345.678/0001-95',
    ',user_metadata->>tax_id.ilike."%12345678000195%",user_metadata->>tax_id.eq."12.345.678/0001-95",user_metadata->>phone.ilike."%12345678000195%"',
  ],
  ['345.678', ',user_metadata->>tax_id.ilike."%345678%",user_metadata->>phone.ilike."%345678%"'],
  ['12.abc.345', ',user_metadata->>tax_id.ilike."%12ABC345%"'],
  [
    '(011) 98765-4321',
    ',user_metadata->>tax_id.ilike."%011987654321%",user_metadata->>phone.ilike."%11987654321%"',
  ],
  [
    '+55 11 98765-4321',
    ',user_metadata->>tax_id.ilike."%5511987654321%",user_metadata->>phone.ilike."%5511987654321%"',
  ],
])('%s is searched in numbers too, without punctuation', (term, numbers) => {
  expect(clientOrNumberFilter(term)).toBe(clientSearchFilter(term) + numbers);
});
