import { AuthApiError, AuthRetryableFetchError, AuthWeakPasswordError } from '@supabase/auth-js';
import { PostgrestError } from '@supabase/postgrest-js';
import { StorageApiError } from '@supabase/storage-js';
import { expect, test, vi } from 'vitest';

import './error-messages.admin';
import { toUserMessage } from './error-messages';

vi.mock('./server-config', () => ({ serverConfig: () => ({ password_min: 8 }) }));

const FALLBACK = 'Tente novamente.';

const rest = (code: string) => new PostgrestError({ message: 'in English', details: '', hint: '', code });

test.each([
  [
    'a wrong password',
    new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'),
    'E-mail ou senha incorretos.',
  ],
  [
    'a used link',
    new AuthApiError('Token has expired', 403, 'otp_expired'),
    'Este link expirou ou já foi usado. Peça um novo.',
  ],
  [
    'an address in use',
    new AuthApiError('A user with this…', 422, 'email_exists'),
    'Já existe uma conta com este e-mail.',
  ],
  [
    'too many attempts',
    new AuthApiError('Request rate limit reached', 429, 'over_request_rate_limit'),
    'Muitas tentativas. Aguarde um pouco e tente de novo.',
  ],
  [
    'too many attempts, without a code',
    new AuthApiError('?', 429, undefined),
    'Muitas tentativas. Aguarde um pouco e tente de novo.',
  ],
  ['a row without permission', rest('42501'), 'Você não tem permissão para isto.'],
  [
    'a file without a session',
    new StorageApiError('?', 401, '401', 'storage', 'AccessDenied'),
    'Sua sessão terminou. Entre novamente.',
  ],
  ['a missing row', rest('PGRST116'), 'O registro não existe ou foi removido.'],
  ['an unknown code', rest('XX000'), FALLBACK],
  [
    'a missing file',
    new StorageApiError('Object not found', 400, '404', 'storage', 'NoSuchKey'),
    'O arquivo não existe ou foi removido.',
  ],
  [
    'a file too large',
    new StorageApiError('The object exceeded…', 413, '413'),
    'O arquivo excede o limite de tamanho.',
  ],
  [
    'an exceeded storage quota',
    new StorageApiError('?', 400, '507', 'storage', 'QuotaExceeded'),
    'O espaço para arquivos acabou, no portal ou para este cliente.',
  ],
  [
    'a setup link used twice',
    { code: 'setup_token_invalid', status: 403 },
    'Este link de configuração não vale mais. Reinicie o servidor para receber outro.',
  ],
  [
    'no network',
    new TypeError('Failed to fetch'),
    'Sem conexão com o servidor. Verifique sua internet e tente novamente.',
  ],
  [
    'no response',
    new AuthRetryableFetchError('Failed to fetch', 0),
    'Sem conexão com o servidor. Verifique sua internet e tente novamente.',
  ],
  ['an unknown error', new Error('boom'), FALLBACK],
  ['undefined', undefined, FALLBACK],
])('%s has a message in Portuguese', (_, error, sentence) => {
  expect(toUserMessage(error, FALLBACK)).toBe(sentence);
});

test('message for a short password contains the configured minimum', () => {
  const weak = new AuthWeakPasswordError('Password should be at least 8 characters.', 422, ['length']);
  expect(toUserMessage(weak, FALLBACK)).toBe('A senha deve ter no mínimo 8 caracteres.');
  const common = new AuthWeakPasswordError('Password is known to be weak.', 422, ['pwned']);
  expect(toUserMessage(common, FALLBACK)).toMatch(/^Esta senha está entre as mais usadas\./);
});
