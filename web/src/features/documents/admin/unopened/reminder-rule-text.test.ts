import { expect, test } from 'vitest';

import { describeReminderRule } from './reminder-rule-text';

test.for([
  [5, '', '5 dias úteis antes · documentos e solicitações'],
  [1, 'das', '1 dia útil antes · DAS'],
  [3, 'request', '3 dias úteis antes · solicitações'],
  [0, 'guia-estadual', 'No dia do vencimento · guia-estadual'],
  [-1, '', '1 dia útil depois · documentos e solicitações'],
] as const)('a rule of %s days for "%s"', ([days, category, text]) => {
  expect(describeReminderRule({ id: '1', days, category, recipient: 'client' })).toBe(text);
});

test('a rule that notifies the staff', () => {
  const rule = { id: '1', days: -1, category: 'das', recipient: 'staff' } as const;
  expect(describeReminderRule(rule)).toBe('1 dia útil depois · DAS · avisa a equipe');
});
