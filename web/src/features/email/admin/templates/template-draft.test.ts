// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';

import type { EmailTemplate } from '~/features/email/api/templates';
import { listDraftKeys } from '~/lib/drafts/draft-keys';

import { loadTemplateDraft, storeTemplateDraft } from './template-draft';
import { blankTemplate, toTemplateValues } from './template-schema';

const scope = { userId: 'ana', kind: 'template' };
const invoice: EmailTemplate = {
  id: 't1',
  name: 'Fatura',
  subject: 'Sua fatura',
  html_content: '<p>Olá</p>',
  event_trigger: 'fatura_new',
  description: null,
  created_at: '2026-11-01T12:00:00Z',
  updated_at: '2026-11-20T12:00:00Z',
};
const values = toTemplateValues(invoice);

beforeEach(() => localStorage.clear());

test('a draft holds the edited fields and the version on which they are based', () => {
  storeTemplateDraft(scope, invoice, { ...values, subject: 'Fatura do mês', description: 'Revisar' });
  expect(loadTemplateDraft(scope, 't1')).toEqual({
    seen: invoice,
    edited: { subject: 'Fatura do mês', description: 'Revisar' },
  });
});

test('a new template has a draft of its own', () => {
  storeTemplateDraft(scope, null, { ...blankTemplate, name: 'Boleto' });
  storeTemplateDraft(scope, invoice, { ...values, subject: 'Fatura do mês' });
  expect(loadTemplateDraft(scope, null)).toEqual({ seen: null, edited: { name: 'Boleto' } });
});

test('a form without changes deletes its draft and no other', () => {
  storeTemplateDraft(scope, null, { ...blankTemplate, name: 'Boleto' });
  storeTemplateDraft(scope, invoice, { ...values, subject: 'Fatura do mês' });
  storeTemplateDraft(scope, invoice, values);
  expect(loadTemplateDraft(scope, 't1')).toBeUndefined();
  expect(loadTemplateDraft(scope, null)).toBeDefined();
});

test('a draft belongs to its user, and a form without a user stores none', () => {
  storeTemplateDraft(scope, invoice, { ...values, subject: 'Fatura do mês' });
  expect(loadTemplateDraft({ ...scope, userId: 'bia' }, 't1')).toBeUndefined();
  storeTemplateDraft({ ...scope, userId: '' }, invoice, values);
  expect(listDraftKeys('ana')).toHaveLength(1);
});
