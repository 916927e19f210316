import { expect, test } from 'vitest';

import { findingsIn, hasHeavyPicture, isAvailable, MOST_PICTURE_BYTES } from './template-variables';

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
])('of “%s” are told as unknown %j and without value %j', (text, unknown, unavailable) => {
  expect(findingsIn(text, 'fatura_new')).toEqual({ unknown, unavailable });
});

test('a variable has a value where its trigger is about it', () => {
  expect(isAvailable('document.link', 'ticket_updated_user')).toBe(false);
  expect(isAvailable('ticket.id', 'ticket_updated_user')).toBe(true);
  expect(isAvailable('office.name', 'ticket_updated_user')).toBe(true);
  expect(isAvailable('ticket.id', '')).toBe(true);
});

test('a picture within the text has a limit', () => {
  expect(hasHeavyPicture(`<img src="${picture(MOST_PICTURE_BYTES)}"> <img src="https://a/b.png">`)).toBe(
    false,
  );
  expect(hasHeavyPicture(`<p style="background:url(${picture(80_000)})">`)).toBe(true);
});
