import { expect, test } from 'vitest';

import { isSessionExpired } from './errors';

test('that a session is over is known by the code of each interface', () => {
  expect(isSessionExpired({ code: 'PGRST301', message: 'JWT expired' })).toBe(true);
  expect(isSessionExpired({ code: 'session_not_found', status: 403 })).toBe(true);
  expect(isSessionExpired({ status: 401 })).toBe(true);
  expect(isSessionExpired({ code: '42501' })).toBe(false);
  expect(isSessionExpired(new TypeError('Failed to fetch'))).toBe(false);
});
