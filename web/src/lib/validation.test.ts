import { describe, expect, test } from 'vitest';

import { emailSchema, newPasswordSchema } from './validation';

describe('emailSchema', () => {
  test.each([
    ['', 'Informe o e-mail.'],
    ['   ', 'Informe o e-mail.'],
    ['joao', 'Email inválido.'],
    ['joao@padaria', 'Email inválido.'],
    ['jo ao@padaria.com.br', 'Email inválido.'],
  ])('rejects %j: %s', (value, message) => {
    expect(emailSchema.safeParse(value).error?.issues[0]?.message).toBe(message);
  });

  test('trims the address', () => {
    expect(emailSchema.parse(' joao@padaria.com.br ')).toBe('joao@padaria.com.br');
  });
});

describe('newPasswordSchema', () => {
  test.each([
    ['segredo', 'segredo', []],
    ['curta', 'curta', ['A senha deve ter no mínimo 6 caracteres.']],
    ['segredo', 'segreda', ['As senhas não coincidem.']],
    ['curta', 'outra', ['A senha deve ter no mínimo 6 caracteres.', 'As senhas não coincidem.']],
  ])('%s, %s', (password, confirmation, expected) => {
    expect(messages(password, confirmation)).toEqual(expected);
  });

  test('requires the given minimum length', () => {
    expect(messages('segredo', 'segredo', 8)).toEqual(['A senha deve ter no mínimo 8 caracteres.']);
  });
});

const messages = (password: string, confirmPassword: string, min = 6) =>
  newPasswordSchema(min)
    .safeParse({ password, confirmPassword })
    .error?.issues.map((issue) => issue.message) ?? [];
