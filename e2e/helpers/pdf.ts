// Sample files.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';

import PdfDocument from 'pdfkit';

/** The name has a space, a sign, an accent and a dash, which the server must return unchanged. */
export const SAMPLE_PDF_NAME = 'Declaração nº 3 – João.pdf';
export const SAMPLE_PDF_PAGES = 3;

/** A PDF of several pages with Portuguese text, a table and drawn lines. */
export async function samplePdf(): Promise<Buffer> {
  const pdf = new PdfDocument({
    size: 'A4',
    margin: 56,
    info: {
      Title: 'Declaração nº 3',
      Author: 'Escritório Duarte',
      CreationDate: new Date('2026-11-03T12:00:00Z'),
    },
  });
  for (let page = 1; page <= SAMPLE_PDF_PAGES; page += 1) {
    if (page > 1) {
      pdf.addPage();
    }
    pdf.rect(56, 56, 483, 6).fill('#0E5A6B').fillColor('#1B1F23');
    pdf.font('Helvetica-Bold').fontSize(20).text('Declaração nº 3 – João da Conceição', 56, 84);
    pdf.moveDown().font('Helvetica').fontSize(11);
    pdf.text(`Página ${page} de ${SAMPLE_PDF_PAGES}. São Paulo, 3 de novembro de 2026.`).moveDown();
    pdf.text(PARAGRAPH, { align: 'justify' }).moveDown();
    for (const [index, month] of MONTHS.entries()) {
      const top = pdf.y;
      pdf
        .text(month, 56, top)
        .text(`R$ ${(1_234.5 * (index + page)).toFixed(2).replace('.', ',')}`, 400, top, {
          width: 139,
          align: 'right',
        });
      pdf
        .moveTo(56, pdf.y + 2)
        .lineTo(539, pdf.y + 2)
        .lineWidth(0.5)
        .stroke('#E6E6E1')
        .moveDown(0.6);
    }
  }
  pdf.end();
  return buffer(pdf);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const MONTHS = [
  'Janeiro',
  'Fevereiro',
  'Março',
  'Abril',
  'Maio',
  'Junho',
  'Julho',
  'Agosto',
  'Setembro',
  'Outubro',
];
const PARAGRAPH =
  'Declaramos, para os devidos fins, que as informações abaixo conferem com a escrituração contábil e fiscal ' +
  'do período, não havendo pendências até a presente data. A autenticidade deste documento pode ser verificada ' +
  'junto ao escritório responsável.';

/** A PDF of one page with this text. */
export async function pdfWithText(text: string): Promise<Buffer> {
  const document = new PdfDocument();
  document.text(text);
  document.end();
  return buffer(document);
}

/** Reads the text of a PDF with the library by which the app shows PDFs. */
export async function readPdfText(file: string): Promise<string> {
  const fromWeb = createRequire(new URL('../../web/package.json', import.meta.url));
  const pdfjs = await import(fromWeb.resolve('pdfjs-dist/legacy/build/pdf.mjs'));
  const pdf = await pdfjs.getDocument({ data: new Uint8Array(await readFile(file)) }).promise;
  const texts: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    texts.push(...items.map(({ str }: { str: string }) => str));
  }
  return texts.join(' ');
}
