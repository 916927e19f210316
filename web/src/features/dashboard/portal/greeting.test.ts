import { expect, test } from 'vitest';

import { greeting } from './greeting';

test.each([
  ['Abílio Nunes', 'Boas-vindas, Abílio'],
  ['  Maria  de Sá ', 'Boas-vindas, Maria'],
  ['Padaria Nossa Senhora Ltda', 'Boas-vindas'],
  ['Padaria Nossa Senhora LTDA. – EPP', 'Boas-vindas'],
  ['Rodrigues & Filhos', 'Boas-vindas'],
  ['Metalúrgica do Vale S.A.', 'Boas-vindas'],
  ['Condomínio Edifício São Bento', 'Boas-vindas'],
  ['Associação de Moradores do Bairro Alto', 'Boas-vindas'],
  ['Salete Mendes', 'Boas-vindas, Salete'],
  ['', 'Boas-vindas'],
  [null, 'Boas-vindas'],
  [undefined, 'Boas-vindas'],
])('greeting › %s', (name, expected) => {
  expect(greeting(name)).toBe(expected);
});
