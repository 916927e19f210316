import { expect, test } from 'vitest';

import { isSessionOver } from './errors';

test('that a session is over is known by the code of each interface', () => {
  expect(isSessionOver({ code: 'PGRST301', message: 'JWT expired' })).toBe(true);
  expect(isSessionOver({ code: 'session_not_found', status: 403 })).toBe(true);
  expect(isSessionOver({ status: 401 })).toBe(true);
  expect(isSessionOver({ code: '42501' })).toBe(false);
  expect(isSessionOver(new TypeError('Failed to fetch'))).toBe(false);
});
