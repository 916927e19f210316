import { describe, expect, test } from 'vitest';

import { formatTaxId, parseTaxId, extractTaxIds } from './tax-id';

describe('parseTaxId', () => {
  test.each([
    ['529.982.247-25', '52998224725', '529.982.247-25'],
    [' 52998224725 ', '52998224725', '529.982.247-25'],
    ['11.222.333/0001-81', '11222333000181', '11.222.333/0001-81'],
    ['11222333000181', '11222333000181', '11.222.333/0001-81'],
    // The example that the Receita Federal published.
    ['12.ABC.345/01DE-35', '12ABC34501DE35', '12.ABC.345/01DE-35'],
    ['12.abc.345/01de-35', '12ABC34501DE35', '12.ABC.345/01DE-35'],
  ])('%s', (input, expected, formatted) => {
    const taxId = parseTaxId(input);
    expect(taxId).toBe(expected);
    expect(taxId && formatTaxId(taxId)).toBe(formatted);
  });

  test.each([
    '',
    '529.982.247-26',
    '11.222.333/0001-82',
    '12.ABC.345/01DE-36',
    '111.111.111-11',
    '123',
    '52998224725x',
  ])('%s is rejected', (input) => expect(parseTaxId(input)).toBeNull());
});

test('extractTaxIds returns distinct tax ids and ignores parts of longer numbers', () => {
  const text = `CONTRATANTE: Padaria Aurora, CNPJ 11.222.333/0001-81 (11222333000181), por seu sócio,
    CPF nº 529.982.247-25; filial 12.ABC.345/01DE-35. Chave 35261111222333000181550010000012341000012345.
    Protocolo 52998224726.`;
  expect(extractTaxIds(text)).toEqual(['52998224725', '11222333000181', '12ABC34501DE35']);
});

test.each([
  'CNPJ11.444.777/0001-61',
  '11.444.777/0001\u201161',
  '11.444.777/0001–61',
  '11.444.777 / 0001-61',
  '11 444 777/0001-61',
  '１１.４４４.７７７/０００１-６１',
])('extractTaxIds finds %s', (text) => expect(extractTaxIds(`Guia de ${text}.`)).toEqual(['11444777000161']));

test('extractTaxIds finds nothing in the digits of a bank slip', () => {
  const line = '34191.79001 01043.510047 91020.150008 5 72510026000';
  expect(extractTaxIds(`${line} 34195725100260001790010435100479102015000 11/12/2026 R$ 1.234,56`)).toEqual(
    [],
  );
});

describe('extractTaxIds of a file name', () => {
  test.each([
    ['11222333000181.pdf', ['11222333000181']],
    ['Guia 11.222.333-0001-81.pdf', ['11222333000181']],
    ['Guia 11.222.333_0001-81 nov.pdf', ['11222333000181']],
    ['11 222 333 0001 81 - contrato.pdf', ['11222333000181']],
    ['11.222.333∕0001–81.pdf', ['11222333000181']],
    ['DAS_11222333000181_2026-10.pdf', ['11222333000181']],
    ['2026-11-11222333000181.pdf', ['11222333000181']],
    ['CNPJ11222333000181nov.pdf', ['11222333000181']],
    ['recibo 529.982.247-25.jpg', ['52998224725']],
    ['CPF52998224725.jpg', ['52998224725']],
    ['12abc34501de35 alvará.pdf', ['12ABC34501DE35']],
    ['filial 12.ABC.345-01DE-35.pdf', ['12ABC34501DE35']],
    ['11222333000181 e 52998224725 e 11.222.333-0001-81.pdf', ['52998224725', '11222333000181']],
  ])('%s', (name, expected) => expect(extractTaxIds(name)).toEqual(expected));

  test.each([
    'Contrato 01.pdf',
    'IMG_20261123_101500.jpg',
    '11222333000182.pdf',
    '2026-11-23 (11) 98765-4321.pdf',
    '35261111222333000181550010000012341000012345.xml',
    '11111111111.pdf',
  ])('%s has none', (name) => expect(extractTaxIds(name)).toEqual([]));
});
