import { expect, test } from 'vitest';

import type { OfficeItem } from '~/features/requests/api/admin-requests';
import { parseTaxId } from '~/lib/tax-id';

import { buildMonthGrid, filterRows } from './month-grid';

function item(client: string, name: string): OfficeItem {
  return {
    id: `${client} ${name}`,
    name,
    hint: null,
    month: '2026-11',
    due_on: null,
    status: 'open',
    refusal_reason: null,
    answered_at: null,
    repeats_monthly: false,
    received_files: [],
    client: { id: client, email: `${client}@cliente.com.br`, fullName: client, taxId: null, phone: null },
  };
}

test('month grid › has a row for each client and the most frequent items first', () => {
  const grid = buildMonthGrid([
    item('Zélia', 'Extrato'),
    item('Álvaro', 'Notas'),
    item('Álvaro', 'Extrato'),
    item('Bruna', 'Folha'),
    { ...item('Bruna', 'Extrato'), client: null },
  ]);
  expect(grid.columns).toEqual(['Extrato', 'Folha', 'Notas']);
  expect(grid.rows.map(({ name }) => name)).toEqual(['Álvaro', 'Bruna', 'Zélia']);
  expect(grid.rows[0]?.cells.get('Notas')?.id).toBe('Álvaro Notas');
  expect(grid.rows[1]?.cells.has('Extrato')).toBe(false);
});

test('month grid › sorts numbers in names by their value', () => {
  const grid = buildMonthGrid([item('Filial 10', 'Conta 10'), item('Filial 9', 'Conta 9')]);
  expect(grid.columns).toEqual(['Conta 9', 'Conta 10']);
  expect(grid.rows.map(({ name }) => name)).toEqual(['Filial 9', 'Filial 10']);
});

test('month grid › tells clients of one name apart', () => {
  const other = item('João', 'Notas');
  const taxId = parseTaxId('529.982.247-25');
  const grid = buildMonthGrid([
    item('João', 'Extrato'),
    item('Bruna', 'Extrato'),
    { ...other, client: other.client && { ...other.client, id: 'outro', taxId } },
  ]);
  expect(grid.rows.map(({ detail }) => detail)).toEqual([null, 'João@cliente.com.br', '529.982.247-25']);
});

test('month grid › its rows are searched by words of the client, and filtered by what was not sent', () => {
  const { rows } = buildMonthGrid([
    item('Padaria São João', 'Extrato'),
    { ...item('Padaria Aurora', 'Extrato'), status: 'accepted' },
    { ...item('Oficina', 'Extrato'), status: 'accepted' },
    { ...item('Oficina', 'Notas'), status: 'refused' },
  ]);
  const namesOf = (search: string, missing: boolean) =>
    filterRows(rows, { search, missing }).map(({ name }) => name);
  expect(namesOf('joao padaria', false)).toEqual(['Padaria São João']);
  expect(namesOf('', true)).toEqual(['Oficina', 'Padaria São João']);
});
