// Unit tests of the destinations of files in a bulk upload.
import { describe, expect, test } from 'vitest';

import type { Client } from '~/features/clients/api/clients';
import { parseTaxId } from '~/lib/tax-id';

import { type BulkUploadItem, countByClient, findDestination, isPending } from './bulk-upload-item';

const AURORA = parseTaxId('11222333000181');
const aurora: Client = { id: 'aurora', email: 'aurora@x.com.br', fullName: 'Aurora', taxId: AURORA };
const viva: Client = {
  id: 'viva',
  email: 'viva@x.com.br',
  fullName: 'Viva',
  taxId: parseTaxId('11444777000161'),
};
const silent = { readable: true, inName: [], inText: [], owners: [] };
const ofViva = { ...silent, inName: viva.taxId ? [viva.taxId] : [], owners: [viva] };
const item: BulkUploadItem = {
  id: '1',
  file: new File(['%PDF'], 'Guia.pdf'),
  name: 'Guia',
  validationError: undefined,
  identity: silent,
  decision: null,
  state: { step: 'waiting' },
};

describe('findDestination', () => {
  test.each<[string, Partial<BulkUploadItem>, Client | null, object]>([
    ['a file before its check', { identity: 'checking' }, aurora, { kind: 'unknown' }],
    ['a file whose check failed', { identity: 'failed' }, aurora, { kind: 'unknown' }],
    ['a file without a chosen client', { identity: ofViva }, null, { kind: 'unknown' }],
    ['a file that names no one', {}, aurora, { kind: 'unconfirmed' }],
    ['a file of somebody else', { identity: ofViva }, aurora, { kind: 'undecided' }],
    ['a file of the chosen client', { identity: ofViva }, viva, { kind: 'client', client: viva }],
    ['a confirmed file', { decision: aurora }, aurora, { kind: 'client', client: aurora }],
    ['a decided file', { identity: ofViva, decision: viva }, aurora, { kind: 'client', client: viva }],
    ['a file left out', { identity: ofViva, decision: 'left-out' }, aurora, { kind: 'left-out' }],
  ])('%s', (_, changes, chosen, expected) =>
    expect(findDestination({ ...item, ...changes }, chosen)).toEqual(expected),
  );
});

test('isPending excludes sent, refused and left-out files', () => {
  expect(isPending(item)).toBe(true);
  expect(isPending({ ...item, state: { step: 'failed', reason: '' } })).toBe(true);
  expect(isPending({ ...item, state: { step: 'sent', client: aurora } })).toBe(false);
  expect(isPending({ ...item, validationError: 'O arquivo está vazio.' })).toBe(false);
  expect(isPending({ ...item, decision: 'left-out' })).toBe(false);
});

test('countByClient counts files in the order of their first client', () => {
  expect(countByClient([viva, aurora, null, viva])).toEqual([
    { client: viva, count: 2 },
    { client: aurora, count: 1 },
  ]);
});
