// Previews of spreadsheets, texts of word processors and XML.

import { expect, type Page } from '@playwright/test';
import { strToU8, zipSync } from 'fflate';

import { openSession, test, type TestApp } from '../../fixtures/test.ts';
import { expectAccessibleInBothThemes } from '../../helpers/accessibility.ts';
import type { Person } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const UNAVAILABLE = 'Pré-visualização indisponível';

async function open(page: Page, app: TestApp, person: Person, type: string, bytes: Uint8Array) {
  const mimeType = { xlsx: `${OFFICE}.spreadsheetml.sheet`, docx: `${OFFICE}.wordprocessingml.document` }[
    type
  ];
  const file = { bytes, mimeType: mimeType ?? 'text/xml' };
  const id = await seedDocument(app, person, { name: `Arquivo ${type}`, type, file });
  await page.goto(`/documents/view/${id}`);
}

test('previews › a spreadsheet shows its sheets with formatted values', async ({ page, app }) => {
  const person = await app.newClient('Sheila Planilhas');
  await openSession(page, person);
  await open(page, app, person, 'xlsx', spreadsheet());
  const table = page.getByRole('region', { name: 'Tabela do documento' });
  await expect(table.getByRole('columnheader')).toHaveText(['Funcionário', 'Admissão', 'Salário']);
  await expect(table.getByRole('cell')).toHaveText(['Rosângela', '23/11/2026', 'R$ 1.234,50']);
  await expectAccessibleInBothThemes(page);
  await page.getByRole('button', { name: 'Encargos' }).click();
  await expect(table.getByRole('cell')).toHaveText(['INSS']);
});

test('previews › a text of a word processor is shown in a frame without scripts', async ({ page, app }) => {
  const person = await app.newClient('Walter Textos');
  await openSession(page, person);
  await open(page, app, person, 'docx', wordDocument());
  const content = page.frameLocator('iframe[title="Conteúdo de Arquivo docx"]');
  await expect(content.getByText('Aviso de férias')).toBeVisible();
  await expect(content.getByRole('cell', { name: '<script>alert(1)</script>' })).toBeVisible();
  await expect(page.locator('iframe')).toHaveAttribute('sandbox', '');
  // A link of the document is a text.
  await expect(content.getByText('Site')).toHaveAttribute('title', 'https://exemplo.com.br');
  await expect(content.getByRole('link')).toHaveCount(0);
});

test('previews › an NF-e is a readable sheet, and other XML is indented', async ({ page, app }) => {
  const person = await app.newClient('Nivaldo Notas');
  await openSession(page, person);
  await open(page, app, person, 'xml', strToU8(invoice()));
  const note = page.getByRole('region', { name: 'Nota fiscal' });
  await expect(note.getByRole('heading', { name: 'NF-e' })).toBeVisible();
  await expect(note.getByText('Moinho São João')).toBeVisible();
  await expect(note.getByText('11.222.333/0001-81')).toBeVisible();
  await expect(note.getByRole('cell')).toHaveText(['Farinha <b>fina</b>', '10 SC', '98,50', '985,00']);
  await expect(note.getByText('R$ 985,00')).not.toHaveCount(0);
  await expectAccessibleInBothThemes(page);

  await open(page, app, person, 'xml', strToU8('<lote><guia cod="7">DAS</guia></lote>'));
  await expect(page.getByRole('region', { name: 'Texto do documento' })).toHaveText(
    '<lote>\n  <guia cod="7">DAS</guia>\n</lote>',
  );
});

test('previews › hostile files leave the page usable', async ({ page, app }) => {
  const person = await app.newClient('Héctor Bombas');
  await openSession(page, person);
  const bomb = zipSync({ ...bookFiles(), 'xl/worksheets/sheet1.xml': new Uint8Array(200 * 1024 * 1024) });
  await open(page, app, person, 'xlsx', bomb);
  await expect(page.getByText(UNAVAILABLE)).toBeVisible();
  await expect(page.getByText('O arquivo é grande demais para ser mostrado aqui.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Baixar Documento' })).toBeEnabled();

  // The archive declares a tenth of what it contains.
  await open(page, app, person, 'docx', declareSize(wordDocument('x'.repeat(1_000_000)), 1_000));
  await expect(page.getByText('O arquivo parece estar danificado ou protegido.')).toBeVisible();

  const cell = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>';
  await open(page, app, person, 'xlsx', spreadsheet(cell));
  await expect(page.getByText('Esta planilha está vazia.')).toBeVisible();

  const entities = 'bcdefghij'.replaceAll(/./g, (name) => {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    return `<!ENTITY ${name} "${`&${before};`.repeat(10)}">`;
  });
  const source = `<!DOCTYPE a [<!ENTITY a "lol">${entities}]><a>&j;</a>`;
  await open(page, app, person, 'xml', strToU8(source));
  await expect(page.getByRole('region', { name: 'Texto do documento' })).toHaveText(source);
});

function pack(files: Record<string, string>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

function bookFiles(): Record<string, Uint8Array> {
  const files = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns:r="${RELATIONSHIPS}"><sheets><sheet name="Folha" r:id="a"/><sheet name="Encargos" r:id="b"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/><Relationship Id="b" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;R$&quot;\\ #,##0.00"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet2.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>INSS</t></is></c></row></sheetData></worksheet>',
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]));
}

const ROWS = `<row r="1">${['Funcionário', 'Admissão', 'Salário'].map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>
<row r="2"><c t="inlineStr"><is><t>Rosângela</t></is></c><c s="2"><v>46349</v></c><c s="1"><v>1234.5</v></c></row>`;

function spreadsheet(rows = ROWS): Uint8Array {
  const sheet = `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  return zipSync({ ...bookFiles(), 'xl/worksheets/sheet1.xml': strToU8(sheet) });
}

function wordDocument(text = 'Aviso de férias'): Uint8Array {
  return pack({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${RELATIONSHIPS}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l" Type="${RELATIONSHIPS}/hyperlink" Target="https://exemplo.com.br" TargetMode="External"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIPS}"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p><w:p><w:hyperlink r:id="l"><w:r><w:t>Site</w:t></w:r></w:hyperlink></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>&lt;script&gt;alert(1)&lt;/script&gt;</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`,
  });
}

function invoice(): string {
  return `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe"><NFe><infNFe Id="NFe35261111222333000181550010000012341000012345">
<ide><natOp>Venda</natOp><mod>55</mod><serie>1</serie><nNF>1234</nNF><dhEmi>2026-11-23T09:30:00-03:00</dhEmi></ide>
<emit><CNPJ>11222333000181</CNPJ><xNome>Moinho São João</xNome></emit><dest><CPF>52998224725</CPF><xNome>Íris Paleta</xNome></dest>
<det nItem="1"><prod><xProd>Farinha &lt;b&gt;fina&lt;/b&gt;</xProd><uCom>SC</uCom><qCom>10.0000</qCom><vUnCom>98.50</vUnCom><vProd>985.00</vProd></prod></det>
<total><ICMSTot><vProd>985.00</vProd><vNF>985.00</vNF></ICMSTot></total></infNFe></NFe></nfeProc>`;
}

/** Writes another size into the directory of the archive, at offset 24 of each entry. */
function declareSize(archive: Uint8Array, size: number): Uint8Array {
  const view = new DataView(archive.buffer);
  for (let at = 0; at < archive.length - 28; at += 1) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  }
  return archive;
}
