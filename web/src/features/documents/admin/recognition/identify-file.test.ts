// Unit tests of the search of a file for clients. Fakes replace the request for clients and the PDF reader.
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { Client } from '~/features/clients/api/clients';
import { parseTaxId } from '~/lib/tax-id';

import { identifyFile } from './identify-file';

const PDF_READER = '~/features/documents/viewer/pdf';
const AURORA = '11222333000181';
const VIVA = '11444777000161';
const aurora: Client = {
  id: 'a',
  email: 'a@x.com.br',
  fullName: 'Aurora',
  taxId: parseTaxId(AURORA),
  phone: null,
};

const findClients = vi.hoisted(() => vi.fn<(taxIds: readonly string[]) => Promise<Client[]>>());
vi.mock(import('~/features/clients/api/clients'), async (original) => ({
  ...(await original()),
  findClientsByTaxId: findClients,
}));

/** Answers with the one client that has the tax id. */
const answer = () =>
  findClients.mockImplementation((taxIds) => Promise.resolve(taxIds.includes(AURORA) ? [aurora] : []));

afterEach(() => {
  vi.doUnmock(PDF_READER);
  vi.resetModules();
  findClients.mockReset();
});

describe('identifyFile', () => {
  test('searches name and text, and asks for each tax id once', async () => {
    answer();
    const text = 'Prestador 11.222.333/0001-81, tomador 11.444.777/0001-61';
    expect(await identifyFile(new File([text], `nota ${AURORA}.txt`))).toEqual({
      readable: true,
      inName: [AURORA],
      inText: [AURORA, VIVA],
      owners: [aurora],
    });
    expect(findClients).toHaveBeenCalledExactlyOnceWith([AURORA, VIVA]);
  });

  test('reads a text in an old encoding', async () => {
    answer();
    const latin = new Uint8Array([0x43, 0x6f, 0x6e, 0x63, 0x65, 0x69, 0xe7, 0xe3, 0x6f, 0x20]);
    const { inText } = await identifyFile(new File([latin, AURORA], 'extrato.csv'));
    expect(inText).toEqual([AURORA]);
  });

  test.each(['foto.png', 'contrato.docx', 'sem extensão'])('searches only the name of %s', async (name) => {
    answer();
    const identity = await identifyFile(new File([AURORA], `${VIVA} ${name}`));
    expect(identity).toEqual({ readable: false, inName: [VIVA], inText: [], owners: [] });
  });

  test('a text without words is not readable', async () => {
    answer();
    expect(await identifyFile(new File([' \n '], 'vazio.txt'))).toMatchObject({ readable: false });
  });

  test('reads the text of a PDF', async () => {
    answer();
    vi.doMock(PDF_READER, () => ({ textOfPdf: () => Promise.resolve(`CNPJ ${AURORA}`) }));
    const identity = await identifyFile(new File(['%PDF'], 'Guia.PDF'));
    expect(identity).toEqual({ readable: true, inName: [], inText: [AURORA], owners: [aurora] });
  });

  test('a protected or damaged PDF is not readable', async () => {
    answer();
    vi.doMock(PDF_READER, () => ({ textOfPdf: () => Promise.reject(new Error('damaged')) }));
    const identity = await identifyFile(new File(['%PDF'], `${AURORA}.pdf`));
    expect(identity).toEqual({ readable: false, inName: [AURORA], inText: [], owners: [aurora] });
  });

  test('fails if the PDF reader cannot be loaded', async () => {
    answer();
    const unavailable = new TypeError('Failed to fetch dynamically imported module');
    vi.doMock(PDF_READER, () => {
      throw unavailable;
    });
    await expect(identifyFile(new File(['%PDF'], 'Guia.pdf'))).rejects.toMatchObject({ cause: unavailable });
    expect(findClients).not.toHaveBeenCalled();
  });

  test('fails if the clients cannot be read', async () => {
    findClients.mockRejectedValue(new TypeError('Failed to fetch'));
    await expect(identifyFile(new File([AURORA], 'nota.txt'))).rejects.toThrow('Failed to fetch');
  });
});
