import { expect, test } from 'vitest';

import { formatPhone, parsePhone, whatsAppUrl } from './phone';

test.each([
  ['(11) 98765-4321', '5511987654321', '(11) 98765-4321'],
  ['011 3456-7890', '551134567890', '(11) 3456-7890'],
  ['+55 11 98765-4321', '5511987654321', '(11) 98765-4321'],
  ['5511987654321', '5511987654321', '(11) 98765-4321'],
  ['+351 912 345 678', '351912345678', '+351912345678'],
])('phone %s is stored as %s', (typed, stored, shown) => {
  const phone = parsePhone(typed);
  expect(phone).toBe(stored);
  expect(phone && formatPhone(phone)).toBe(shown);
});

test.each(['', '987654321', '(01) 98765-4321', '(11) 18765-4321', '+55 11 1234', 'ana@exemplo.com', '+12'])(
  '%s is no phone number',
  (typed) => {
    expect(parsePhone(typed)).toBeNull();
  },
);

test('the text of a WhatsApp link is encoded', () => {
  expect(whatsAppUrl(parsePhone('11987654321'), 'Olá & até #1')).toBe(
    'https://wa.me/5511987654321?text=Ol%C3%A1%20%26%20at%C3%A9%20%231',
  );
  expect(whatsAppUrl(null, 'Olá')).toBe('https://wa.me/?text=Ol%C3%A1');
});
