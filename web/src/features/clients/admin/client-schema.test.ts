// Unit tests of the client form's validation.
import { describe, expect, test } from 'vitest';

import { clientSchema, type ClientValues } from './client-schema';

const good: ClientValues = {
  full_name: 'João da Conceição',
  email: 'joao@padariaaurora.com.br',
  tax_id: '',
  phone: '',
  invite: false,
  mustChangePassword: false,
  password: 'pão quente',
  confirmPassword: 'pão quente',
};

type ValidationErrors = Partial<Record<keyof ClientValues, string>>;

function validationErrors(mode: 'new' | 'edit', changes: Partial<ClientValues>): ValidationErrors {
  const { error } = clientSchema(mode, 6).safeParse({ ...good, ...changes });
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path[0], message]));
}

const blank = { password: '', confirmPassword: '' };
const short = { password: 'pão', confirmPassword: 'pão' };
const different = { password: 'pão quente', confirmPassword: 'pão frio' };

const rows: [mode: 'new' | 'edit', changes: Partial<ClientValues>, expected: ValidationErrors][] = [
  ['new', {}, {}],
  ['new', { full_name: '  ' }, { full_name: 'Nome completo é obrigatório.' }],
  ['new', { email: '' }, { email: 'Email é obrigatório.' }],
  ['new', { email: 'joao@padaria' }, { email: 'Email inválido.' }],
  ['new', { email: ' joao@padaria.com ' }, {}],
  ['new', { email: 'joao@pão.com.br' }, {}],
  ['new', { email: 'joão@padaria.com' }, { email: 'Use só letras sem acento antes do @ do e-mail.' }],
  ['new', { tax_id: '11.222.333/0001-81' }, {}],
  ['new', { phone: '(11) 98765-4321' }, {}],
  ['new', { phone: '98765-4321' }, { phone: 'Telefone inválido. Inclua o DDD.' }],
  ['new', { tax_id: '11.222.333/0001-82' }, { tax_id: 'CPF ou CNPJ inválido.' }],
  // An invited client chooses the password.
  ['new', { ...blank, invite: true }, {}],
  ['new', { ...different, invite: true }, {}],
  ['new', blank, { password: 'Senha é obrigatória.' }],
  ['new', short, { password: 'Senha deve ter no mínimo 6 caracteres.' }],
  ['new', different, { confirmPassword: 'As senhas não coincidem.' }],
  // All errors are reported at once.
  [
    'new',
    { full_name: '', email: '', ...blank },
    {
      full_name: 'Nome completo é obrigatório.',
      email: 'Email é obrigatório.',
      password: 'Senha é obrigatória.',
    },
  ],
  ['edit', blank, {}],
  // The server may hold an address that it would refuse today.
  ['edit', { ...blank, email: 'joão@padaria.com' }, {}],
  ['edit', short, { password: 'Senha deve ter no mínimo 6 caracteres.' }],
  ['edit', different, { confirmPassword: 'As senhas não coincidem.' }],
  ['edit', { ...blank, confirmPassword: 'pão' }, { confirmPassword: 'As senhas não coincidem.' }],
];

describe('clientSchema', () => {
  test.each(rows)('%s with %o has the errors %o', (mode, changes, expected) => {
    expect(validationErrors(mode, changes)).toEqual(expected);
  });

  test('the minimum password length comes from the settings', () => {
    const { error } = clientSchema('new', 12).safeParse(good);
    expect(error?.issues[0]?.message).toBe('Senha deve ter no mínimo 12 caracteres.');
  });
});
