import { expect, test } from 'vitest';

import { describeReminderRule } from './reminder-rule-text';

test.for([
  [5, '', '5 dias úteis antes · todos os documentos'],
  [1, 'das', '1 dia útil antes · DAS'],
  [0, 'guia-estadual', 'No dia do vencimento · guia-estadual'],
  [-1, '', '1 dia útil depois · todos os documentos'],
] as const)('a rule of %s days for "%s"', ([days, category, text]) => {
  expect(describeReminderRule({ id: '1', days, category })).toBe(text);
});
