import { describe, expect, test } from 'vitest';

import type { Invoice } from './preview';
import { readXmlPreview } from './xml-preview';

const read = (source: string) => readXmlPreview(new TextEncoder().encode(source).buffer);

function readInvoice(source: string): Invoice {
  const preview = read(source);
  if (preview.kind !== 'invoice') throw new Error('No invoice was read.');
  return preview.invoice;
}

const NFE = `<?xml version="1.0" encoding="UTF-8"?>
<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><NFe><infNFe Id="NFe35261111222333000181550010000012341000012345">
<ide><natOp>Venda de mercadoria</natOp><mod>55</mod><serie>1</serie><nNF>1234</nNF><dhEmi>2026-11-23T09:30:00-03:00</dhEmi></ide>
<emit><CNPJ>11222333000181</CNPJ><xNome>Moinho São João &amp; Filhos Ltda.</xNome><enderEmit><xMun>Jundiaí</xMun><UF>SP</UF></enderEmit></emit>
<dest><CPF>52998224725</CPF><xNome>Íris Paleta</xNome></dest>
<det nItem="1"><prod><xProd>Farinha de trigo 25 kg</xProd><uCom>SC</uCom><qCom>10.0000</qCom><vUnCom>98.5000000000</vUnCom><vProd>985.00</vProd></prod></det>
<det nItem="2"><prod><xProd>Fermento</xProd><uCom>KG</uCom><qCom>2.5000</qCom><vUnCom>20.1234</vUnCom><vProd>50.31</vProd></prod></det>
<total><ICMSTot><vProd>1035.31</vProd><vFrete>0.00</vFrete><vICMS>124.24</vICMS><vNF>1035.31</vNF></ICMSTot></total>
</infNFe></NFe><protNFe><infProt><chNFe>35261111222333000181550010000012341000012345</chNFe><nProt>135260000000001</nProt></infProt></protNFe></nfeProc>`;

describe('invoices', () => {
  test('an NF-e has parties, items and totals', () => {
    const invoice = readInvoice(NFE);
    expect(invoice).toMatchObject({
      title: 'NF-e',
      issuer: {
        name: 'Moinho São João & Filhos Ltda.',
        taxId: '11.222.333/0001-81',
        place: 'Jundiaí – SP',
      },
      recipient: { name: 'Íris Paleta', taxId: '529.982.247-25', place: '' },
      items: [
        { description: 'Farinha de trigo 25 kg', quantity: '10 SC', price: '98,50', total: '985,00' },
        { description: 'Fermento', quantity: '2,5 KG', price: '20,1234', total: '50,31' },
      ],
      total: 'R$\u00a01.035,31',
    });
    expect(invoice.facts).toContainEqual({ term: 'Emissão', value: '23/11/2026' });
    expect(invoice.facts).toContainEqual({
      term: 'Chave de acesso',
      value: '3526 1111 2223 3300 0181 5500 1000 0012 3410 0001 2345',
    });
    // Amounts of zero are left out.
    expect(invoice.totals.map(({ term }) => term)).toEqual(['Produtos', 'ICMS']);
  });

  test('an NFS-e of the national layout is read', () => {
    const invoice = readInvoice(`<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse"><infNFSe Id="NFS355">
<nNFSe>77</nNFSe><emit><CNPJ>11222333000181</CNPJ><xNome>Prado Contábil</xNome></emit><valores><vISSQN>25.00</vISSQN><vLiq>475.00</vLiq></valores>
<DPS><infDPS><dhEmi>2026-11-03T10:00:00-03:00</dhEmi><dCompet>2026-10-01</dCompet><toma><CNPJ>11222333000181</CNPJ><xNome>Padaria Aurora</xNome></toma>
<serv><cServ><xDescServ>Honorários contábeis</xDescServ></cServ></serv><valores><vServPrest><vServ>500.00</vServ></vServPrest></valores></infDPS></DPS></infNFSe></NFSe>`);
    expect(invoice).toMatchObject({
      title: 'NFS-e',
      issuer: { name: 'Prado Contábil' },
      recipient: { name: 'Padaria Aurora' },
      items: [{ description: 'Honorários contábeis', total: '500,00' }],
      total: 'R$\u00a0475,00',
    });
    expect(invoice.facts).toContainEqual({ term: 'Competência', value: '01/10/2026' });
  });

  test('an NFS-e of ABRASF is read', () => {
    const invoice =
      readInvoice(`<CompNfse xmlns="http://www.abrasf.org.br/nfse.xsd"><Nfse><InfNfse><Numero>15</Numero><CodigoVerificacao>AB12</CodigoVerificacao>
<DataEmissao>2026-11-03T10:00:00</DataEmissao><ValoresNfse><ValorLiquidoNfse>90.5</ValorLiquidoNfse></ValoresNfse>
<PrestadorServico><RazaoSocial>Clínica Viva</RazaoSocial></PrestadorServico>
<DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico><Servico><Valores><ValorServicos>100.5</ValorServicos></Valores><Discriminacao>Consulta</Discriminacao></Servico>
<Tomador><IdentificacaoTomador><CpfCnpj><Cpf>52998224725</Cpf></CpfCnpj></IdentificacaoTomador><RazaoSocial>Íris Paleta</RazaoSocial></Tomador>
</InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse></CompNfse>`);
    expect(invoice).toMatchObject({
      issuer: { name: 'Clínica Viva' },
      recipient: { name: 'Íris Paleta', taxId: '529.982.247-25' },
      items: [{ description: 'Consulta', total: '100,50' }],
      total: 'R$\u00a090,50',
    });
  });
});

describe('other XML', () => {
  test('is indented', () => {
    expect(read('<a x="1"><b>dois</b><c/></a>')).toEqual({
      kind: 'text',
      text: '<a x="1">\n  <b>dois</b>\n  <c/>\n</a>',
      isCut: false,
    });
  });

  test('entities of the document do not expand, and the file is shown as it is', () => {
    const bomb = `<!DOCTYPE lolz [<!ENTITY a "lol">${Array.from('bcdefghi', (name, at) => `<!ENTITY ${name} "${`&${'abcdefgh'[at]};`.repeat(10)}">`).join('')}]><a>&i;</a>`;
    expect(read(bomb)).toEqual({ kind: 'text', text: bomb, isCut: false });
  });

  test.each([
    ['deep', '<a>'.repeat(5_000)],
    ['wide', `<a>${'<b/>'.repeat(60_000)}</a>`],
    ['broken', '<a><b></a>'],
  ])('a file that is %s is shown as it is', (_, source) => {
    expect(read(source)).toMatchObject({ kind: 'text', text: source.slice(0, 200_000) });
  });

  test('Windows-1252 is read', () => {
    const bytes = Uint8Array.from(Array.from('<a>ação</a>', (character) => character.charCodeAt(0)));
    expect(readXmlPreview(bytes.buffer)).toMatchObject({ text: '<a>ação</a>' });
  });
});
