import { expect, test } from 'vitest';

import { isSessionExpired } from './errors';

test('isSessionExpired recognizes the error codes of each API', () => {
  expect(isSessionExpired({ code: 'PGRST301', message: 'JWT expired' })).toBe(true);
  expect(isSessionExpired({ code: 'session_not_found', status: 403 })).toBe(true);
  expect(isSessionExpired({ status: 401 })).toBe(true);
  expect(isSessionExpired({ code: '42501' })).toBe(false);
  expect(isSessionExpired(new TypeError('Failed to fetch'))).toBe(false);
});
