// Electronic invoices: NF-e and NFC-e (Manual de Orientação do Contribuinte, layout 4.00), and NFS-e in the national
// layout (DPS 1.00) and that of ABRASF (2.0x).
import { formatTaxId, parseTaxId } from '~/lib/tax-id';

import type { Invoice, InvoiceItem, Party } from './preview';
import { findElement, textOf, type XmlElement } from './xml';

const MAX_ITEMS = 500;

/** The invoice of a document, or null if it is none of the known layouts, or contains several. */
export function readInvoice(root: XmlElement): Invoice | null {
  const document = { name: '', attributes: {}, children: [root], text: '' };
  if (countElements(document, 'infNFe', 'infNFSe', 'InfNfse') > 1) return null;
  const goods = findElement(document, 'infNFe');
  if (goods) return readGoods(goods, findElement(document, 'infProt'));
  const service = findElement(document, 'infNFSe', 'InfNfse');
  return service ? readService(service) : null;
}

function countElements(element: XmlElement, ...names: string[]): number {
  const own = names.includes(element.name) ? 1 : 0;
  return element.children.reduce((sum, child) => sum + countElements(child, ...names), own);
}

function readGoods(note: XmlElement, receipt: XmlElement | undefined): Invoice {
  const head = findElement(note, 'ide');
  const totals = findElement(note, 'ICMSTot');
  const lines = note.children.filter(({ name }) => name === 'det');
  const key = textOf(receipt, 'chNFe') || (note.attributes['Id'] ?? '').replace(/\D/g, '');
  return {
    title: textOf(head, 'mod') === '65' ? 'NFC-e' : 'NF-e',
    facts: facts([
      ['Número', textOf(head, 'nNF')],
      ['Série', textOf(head, 'serie')],
      ['Emissão', formatDay(textOf(head, 'dhEmi', 'dEmi'))],
      ['Natureza da operação', textOf(head, 'natOp')],
      ['Protocolo', textOf(receipt, 'nProt')],
      ['Chave de acesso', key.replaceAll(/\d{4}(?=\d)/g, '$& ')],
    ]),
    issuer: readParty(findElement(note, 'emit')),
    recipient: readRecipient(findElement(note, 'dest')),
    items: lines.slice(0, MAX_ITEMS).map((line): InvoiceItem => {
      const product = findElement(line, 'prod');
      return {
        description: textOf(product, 'xProd'),
        quantity: [formatNumber(textOf(product, 'qCom'), 0), textOf(product, 'uCom')].join(' '),
        price: formatNumber(textOf(product, 'vUnCom'), 2),
        total: formatNumber(textOf(product, 'vProd'), 2),
      };
    }),
    totals: facts([
      ['Produtos', money(textOf(totals, 'vProd'))],
      ['Frete', taxMoney(textOf(totals, 'vFrete'))],
      ['Desconto', taxMoney(textOf(totals, 'vDesc'))],
      ['ICMS', taxMoney(textOf(totals, 'vICMS'))],
      ['ICMS-ST', taxMoney(textOf(totals, 'vST'))],
      ['IPI', taxMoney(textOf(totals, 'vIPI'))],
      ['PIS', taxMoney(textOf(totals, 'vPIS'))],
      ['COFINS', taxMoney(textOf(totals, 'vCOFINS'))],
    ]),
    total: money(textOf(totals, 'vNF')),
    isCut: lines.length > MAX_ITEMS,
  };
}

function readService(note: XmlElement): Invoice {
  const amount = textOf(note, 'vServ', 'ValorServicos');
  const number = textOf(note, 'nNFSe', 'Numero');
  return {
    title: 'NFS-e',
    facts: facts([
      ['Número', number],
      ['Emissão', formatDay(textOf(note, 'dhEmi', 'DataEmissao', 'dhProc'))],
      ['Competência', formatDay(textOf(note, 'dCompet', 'Competencia'))],
      ['Código de verificação', textOf(note, 'CodigoVerificacao')],
      ['Chave de acesso', (note.attributes['Id'] ?? '').replace(/^NFS/, '')],
    ]),
    issuer: readParty(findElement(note, 'emit', 'PrestadorServico', 'Prestador', 'prest')),
    recipient: readRecipient(findElement(note, 'toma', 'TomadorServico', 'Tomador')),
    items: [
      {
        description: textOf(note, 'xDescServ', 'Discriminacao').replaceAll(/\s*\\s\\n\s*|\|/g, '\n'),
        quantity: '1',
        price: formatNumber(amount, 2),
        total: formatNumber(amount, 2),
      },
    ],
    totals: facts([
      ['Serviços', money(amount)],
      ['Deduções', taxMoney(textOf(note, 'vDR', 'ValorDeducoes'))],
      ['ISS', taxMoney(textOf(note, 'vISSQN', 'ValorIss'))],
      ['Retenções', taxMoney(textOf(note, 'vTotalRet'))],
      ['ISS retido', taxMoney(textOf(note, 'ValorIssRetido'))],
    ]),
    total: money(textOf(note, 'vLiq', 'ValorLiquidoNfse') || amount),
    isCut: false,
  };
}

function readRecipient(element: XmlElement | undefined): Party | null {
  return element ? readParty(element) : null;
}

function readParty(element: XmlElement | undefined): Party {
  const taxId = textOf(element, 'CNPJ', 'Cnpj', 'CPF', 'Cpf');
  const valid = parseTaxId(taxId);
  const place = [textOf(element, 'xMun'), textOf(element, 'UF', 'Uf')].filter((part) => part !== '');
  return {
    name: textOf(element, 'xNome', 'RazaoSocial', 'xFant', 'NomeFantasia'),
    taxId: valid ? formatTaxId(valid) : taxId,
    place: place.join(' – '),
  };
}

function facts(pairs: readonly [term: string, value: string][]) {
  return pairs.filter(([, value]) => value !== '').map(([term, value]) => ({ term, value }));
}

/** `2026-11-23T09:30:00-03:00` as `23/11/2026`. Dates of invoices are days at the place of their issuer. */
function formatDay(value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(value) ?? [];
  return year === undefined ? value : `${day}/${month}/${year}`;
}

/** `1234.5000` as `1.234,50`, with at least `decimals` decimals and without further zeros. */
function formatNumber(value: string, decimals: number): string {
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,10}))?$/.exec(value) ?? [];
  if (whole === undefined) return value;
  const shown = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.');
  return `${sign}${grouped}${shown === '' ? '' : `,${shown}`}`;
}

const money = (value: string) => (value === '' ? '' : `R$\u00a0${formatNumber(value, 2)}`);
/** An amount that is left out if it is zero. */
const taxMoney = (value: string) => (Number(value) === 0 ? '' : money(value));
