// Unit tests of the comparison of a file with the chosen client.
import { describe, expect, test } from 'vitest';

import type { Client } from '~/features/clients/api/clients';
import { parseTaxId, type TaxId } from '~/lib/tax-id';

import { findDoubts, recognize } from './recognize';

const AURORA = taxId('11222333000181');
const VIVA = taxId('11444777000161');
const UNKNOWN = taxId('45997418000153');

const aurora = client('aurora', AURORA);
const partner = client('aurora-2', AURORA);
const viva = client('viva', VIVA);
const blank = client('blank', null);

describe('recognize', () => {
  test.each([
    ['nothing', [], [], { kind: 'none' }],
    ['the client in the text', [], [AURORA], { kind: 'chosen' }],
    ['the client in the name', [AURORA], [], { kind: 'chosen' }],
    ['the client and an unknown number in the text', [], [AURORA, UNKNOWN], { kind: 'chosen' }],
    ['another client in the text', [], [VIVA], other(VIVA, false, viva)],
    ['another client in the name', [VIVA], [], other(VIVA, true, viva)],
    ['the client in the text and another one in the name', [VIVA], [AURORA], other(VIVA, true, viva)],
    ['the client and another one in the text', [], [AURORA, VIVA], other(VIVA, false, viva)],
    ['an unknown number in the text', [], [UNKNOWN], other(UNKNOWN, false, null)],
    ['an unknown number in the name', [UNKNOWN], [AURORA], other(UNKNOWN, true, null)],
  ])('%s', (_, inName, inText, expected) => {
    const owners = [aurora, partner, viva].filter(
      ({ taxId: own }) => own && [...inName, ...inText].includes(own),
    );
    expect(recognize({ readable: true, inName, inText, owners }, aurora)).toEqual(expected);
  });

  test('clients precede unknown numbers', () => {
    const identity = { readable: true, inName: [UNKNOWN], inText: [VIVA], owners: [viva] };
    const recognition = recognize(identity, blank);
    expect(recognition.kind === 'other' && recognition.foreign.map(({ client: owner }) => owner)).toEqual([
      viva,
      null,
    ]);
  });

  test('uses the tax id of the lookup if the chosen client had none before', () => {
    const identity = { readable: true, inName: [], inText: [VIVA], owners: [viva] };
    expect(recognize(identity, { ...viva, taxId: null })).toEqual({ kind: 'chosen' });
  });
});

test('findDoubts ignores unknown numbers if the client has no tax id', () => {
  const identity = { readable: true, inName: [VIVA], inText: [UNKNOWN], owners: [viva] };
  expect(findDoubts(identity, blank)).toEqual([{ taxId: VIVA, inName: true, client: viva }]);
  expect(findDoubts(identity, aurora)).toHaveLength(2);
  expect(findDoubts(identity, viva)).toEqual([]);
});

function other(foreign: TaxId, inName: boolean, owner: Client | null) {
  return { kind: 'other', foreign: [{ taxId: foreign, inName, client: owner }] };
}

function client(id: string, own: TaxId | null): Client {
  return { id, email: `${id}@x.com.br`, fullName: id, taxId: own, phone: null };
}

function taxId(text: string): TaxId {
  const parsed = parseTaxId(text);
  if (parsed === null) throw new Error(`${text} is no tax id.`);
  return parsed;
}
