import { expect, test } from 'vitest';

import { mayOpen, rightsOf } from './rights';
import type { User } from './session';

const staff = (officeRole?: unknown): User => ({
  id: '1',
  email: 'carla@escritorio.com.br',
  fullName: null,
  isAdmin: true,
  officeRole,
  pendingStep: null,
});

test.each([
  ['an administrator', undefined, true, true],
  ['an employee', 'employee', false, true],
  ['a reader', 'reader', false, false],
  ['a role that this version does not know', 'auditor', false, false],
])('%s has the rights of the role', (_, role, isAdministrator, mayWrite) => {
  expect(rightsOf(staff(role))).toEqual({ isAdministrator, mayWrite });
});

test('a client has no rights of the staff', () => {
  expect(rightsOf({ ...staff(), isAdmin: false })).toEqual({ isAdministrator: false, mayWrite: false });
});

test.each([
  ['/admin/settings', false, false],
  ['/admin/clients/edit/7', false, false],
  ['/admin/documents/upload?cliente=7', true, false],
  ['/admin/documents/view/7', true, true],
  ['/admin/clients/view/7', true, true],
])('%s is for the roles that use it', (address, employee, reader) => {
  expect(mayOpen(rightsOf(staff()), address)).toBe(true);
  expect(mayOpen(rightsOf(staff('employee')), address)).toBe(employee);
  expect(mayOpen(rightsOf(staff('reader')), address)).toBe(reader);
});
