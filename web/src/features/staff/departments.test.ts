// Unit tests of the departments.
import { expect, test } from 'vitest';

import { departmentOf, departmentOptions, departmentValue, suggestedDepartments } from './departments';

const staff = [
  { id: '1', department: 'Pessoal' },
  { id: '2', department: '' },
  { id: '3', department: 'Fiscal' },
  { id: '4', department: 'Pessoal' },
];

test('a department is an option once', () => {
  expect(departmentOptions(staff)).toEqual([
    { value: 'departamento:Fiscal', label: 'Departamento Fiscal' },
    { value: 'departamento:Pessoal', label: 'Departamento Pessoal' },
  ]);
});

test('the value of a filter names a department', () => {
  expect(departmentOf(departmentValue('Fiscal'))).toBe('Fiscal');
  for (const value of [null, '', 'nobody', 'departamento:']) expect(departmentOf(value)).toBeNull();
});

test("the office's own departments come first", () => {
  expect(suggestedDepartments([{ id: '1', department: 'Rural' }])[0]).toBe('Rural');
});
