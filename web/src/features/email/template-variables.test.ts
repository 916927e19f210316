// Unit tests of the template variables.
import { expect, test } from 'vitest';

import { findTemplateWarnings, hasOversizedImage, isAvailable, MAX_IMAGE_BYTES } from './template-variables';

const picture = (bytes: number) => `data:image/jpeg;base64,${Buffer.alloc(bytes).toString('base64')}`;

test.each([
  ['Olá {{client.name}}, {{ document.name }}', [], []],
  ['{{client.cpf}} {{ client.cpf }} {{7*7}}', ['client.cpf', '{{7*7}}'], []],
  ['{{client.name', ['{{client.name'], []],
  ['{{{client.name}}}', ['{{{client.name}}'], []],
  ['{{&nbsp;client.name }}', [], []],
  ['{{ {{client.name}} }}', ['{{ '], []],
  ['{{}}', ['{{}}'], []],
  ['{{ticket.subject}} {{ticket.id}}', [], ['ticket.subject', 'ticket.id']],
  ['${7*7} {% for %} }} {x}', [], []],
])('“%s” warns about unknown %j and unavailable %j', (text, unknown, unavailable) => {
  expect(findTemplateWarnings(text, 'fatura_new')).toEqual({ unknown, unavailable });
});

test('availability of a variable depends on the trigger', () => {
  expect(isAvailable('document.link', 'ticket_updated_user')).toBe(false);
  expect(isAvailable('ticket.id', 'ticket_updated_user')).toBe(true);
  expect(isAvailable('office.name', 'ticket_updated_user')).toBe(true);
  expect(isAvailable('ticket.id', '')).toBe(true);
});

test('an embedded image has a maximum size', () => {
  expect(hasOversizedImage(`<img src="${picture(MAX_IMAGE_BYTES)}"> <img src="https://a/b.png">`)).toBe(
    false,
  );
  expect(hasOversizedImage(`<p style="background:url(${picture(80_000)})">`)).toBe(true);
});
