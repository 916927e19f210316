import { expect, test } from 'vitest';

import { mayOpen, rightsOf } from './rights';
import type { User } from './session';

const staff = (officeRole?: unknown, assignedClientsOnly = false): User => ({
  id: '1',
  email: 'carla@escritorio.com.br',
  fullName: null,
  isAdmin: true,
  officeRole,
  assignedClientsOnly,
  pendingStep: null,
});

test.each([
  ['an administrator', staff(), true, true, true],
  ['an employee', staff('employee'), false, true, true],
  ['an employee with assigned clients', staff('employee', true), false, true, false],
  ['a reader', staff('reader'), false, false, false],
  ['a role that this version does not know', staff('auditor'), false, false, false],
])('%s has the rights of the role', (_, user, isAdministrator, mayWrite, mayWriteInboxRules) => {
  expect(rightsOf(user)).toEqual({ isAdministrator, mayWrite, mayWriteInboxRules });
});

test('a client has no rights of the staff', () => {
  expect(rightsOf({ ...staff(), isAdmin: false })).toEqual({
    isAdministrator: false,
    mayWrite: false,
    mayWriteInboxRules: false,
  });
});

test.each([
  ['/admin/settings', false, false],
  ['/admin/primeiros-passos', false, false],
  ['/admin/clients/edit/7', false, false],
  ['/admin/documents/upload?cliente=7', true, false],
  ['/admin/documents/view/7', true, true],
  ['/admin/documents/trash', true, true],
  ['/admin/tickets/respostas-prontas', true, false],
  ['/admin/clients/view/7', true, true],
])('%s is for the roles that use it', (address, employee, reader) => {
  expect(mayOpen(rightsOf(staff()), address)).toBe(true);
  expect(mayOpen(rightsOf(staff('employee')), address)).toBe(employee);
  expect(mayOpen(rightsOf(staff('reader')), address)).toBe(reader);
});
