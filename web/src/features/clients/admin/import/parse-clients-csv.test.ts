// Unit tests of the CSV import parser.
import { describe, expect, test } from 'vitest';

import {
  parseClientsCsv,
  CsvError,
  excludeExisting,
  taxIdsOf,
  warnOfSharedTaxIds,
} from './parse-clients-csv';

const TABLE = `Nome;E-mail;CPF/CNPJ;Senha
João da Conceição; JOAO@padaria.com.br ;11.222.333/0001-81;
"Silva; Filhos";silva@x.com.br;;segredo1
;sem-nome@x.com.br;;
Maria;maria@x;;
Pedro;joao@padaria.com.br;;
Ana;ana@x.com.br;123;
Rui;rui@x.com.br;;abc
Eva;eva@x.com.br;;;sobra
Zoé;zoé@x.com.br;;`;

describe('parseClientsCsv', () => {
  test('returns the clients of valid rows and the errors of invalid rows', () => {
    const { lines, rowErrors } = parseClientsCsv(TABLE, 6);
    expect(lines).toEqual([
      {
        line: 2,
        full_name: 'João da Conceição',
        email: 'joao@padaria.com.br',
        tax_id: '11.222.333/0001-81',
        phone: '',
        password: '',
      },
      {
        line: 3,
        full_name: 'Silva; Filhos',
        email: 'silva@x.com.br',
        tax_id: '',
        phone: '',
        password: 'segredo1',
      },
    ]);
    expect(rowErrors.map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'Nome completo é obrigatório.'],
      [5, 'Email inválido.'],
      [6, 'Email repetido: já está na linha 2.'],
      [7, 'CPF ou CNPJ inválido.'],
      [8, 'Senha deve ter no mínimo 6 caracteres.'],
      [9, 'A linha tem mais colunas que a primeira.'],
      [10, 'Use só letras sem acento antes do @ do e-mail.'],
    ]);
  });

  test.each([
    ['', 'A primeira linha'],
    ['Fulano;fulano@x.com', 'A primeira linha'],
    ['nome;email\n', 'nenhum cliente'],
    ['nome;email\nAna;"a@x.com', 'aspas abertas na linha 2'],
  ])('rejects the file %j', (text, expected) => {
    expect(() => parseClientsCsv(text, 6)).toThrow(CsvError);
    expect(() => parseClientsCsv(text, 6)).toThrow(expected);
  });

  test('reports an existing e-mail address as an error of its row', () => {
    const { lines, rowErrors } = excludeExisting(parseClientsCsv(TABLE, 6), new Set(['joao@padaria.com.br']));
    expect(lines.map(({ line }) => line)).toEqual([3]);
    expect(rowErrors[0]).toMatchObject({ line: 2, reason: 'Já existe um cliente com este email.' });
  });

  test('reads the CPF or CNPJ from whichever of two columns has it', () => {
    const { lines, rowErrors } = parseClientsCsv(
      [
        'Razão Social;E-mail;CPF;CNPJ;Telefone;Celular',
        'A;a@x.com;;11.222.333/0001-81;;11 98765-4321',
        'B;b@x.com;529.982.247-25;;;',
        'C;c@x.com;529.982.247-25;11.222.333/0001-81;;',
        'D;d@x.com;-;11.222.333/0001-81;;',
        'E;e@x.com;11222333000181;11.222.333/0001-81;;',
      ].join('\n'),
      6,
    );
    expect(lines.map(({ tax_id, phone }) => [tax_id, phone])).toEqual([
      ['11.222.333/0001-81', '11 98765-4321'],
      ['529.982.247-25', ''],
      ['11.222.333/0001-81', ''],
      ['11222333000181', ''],
    ]);
    expect(rowErrors.map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'A linha tem mais de um CPF ou CNPJ: deixe o do cliente.'],
    ]);
  });

  test('warns of rows that share a tax id with a client or with an earlier row', () => {
    const rows = [
      'A;a@x.com;529.982.247-25',
      'B;b@x.com;52998224725',
      'C;c@x.com;11.222.333/0001-81',
      'D;d@x.com;',
    ];
    const table = parseClientsCsv(['nome;email;cpf', ...rows].join('\n'), 6);
    const [, taxId = null] = taxIdsOf(table.lines);
    expect(taxId).toBe('11222333000181');
    const owner = { id: 'x', email: 'x@x.com', fullName: 'Padaria Aurora', phone: null, taxId };
    const { lines, warnings } = warnOfSharedTaxIds(table, [owner]);
    expect(lines).toHaveLength(4);
    expect(warnings.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'CPF ou CNPJ repetido: já está na linha 2.'],
      [4, 'Este CPF ou CNPJ já é de Padaria Aurora.'],
    ]);
  });

  test('reads and checks phone numbers', () => {
    const { lines, rowErrors } = parseClientsCsv(
      'nome;email;celular\nA;a@x.com;11 98765-4321\nB;b@x.com;12',
      6,
    );
    expect(lines.map(({ phone }) => phone)).toEqual(['11 98765-4321']);
    expect(rowErrors.map(({ reason }) => reason)).toEqual(['Telefone inválido. Inclua o DDD.']);
  });

  test('parses a hundred thousand rows', () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => `Cliente ${at},cliente${at}@x.com.br`);
    expect(parseClientsCsv(`nome,email\n${rows.join('\n')}`, 6).lines).toHaveLength(100_000);
  });
});
