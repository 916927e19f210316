// Names of the categories of documents.

/** Names of the categories that the form suggests and the inbox recognizes. The office may use others. */
export const CATEGORY_NAMES: Readonly<Record<string, string>> = {
  das: 'DAS',
  darf: 'DARF',
  gps: 'GPS',
  fgts: 'FGTS',
  dae: 'DAE',
  iss: 'ISS',
  gnre: 'GNRE',
  ipva: 'IPVA',
  iptu: 'IPTU',
  boleto: 'Boleto',
  nfse: 'NFS-e',
  nfe: 'NF-e',
  payslip: 'Holerite',
  payroll: 'Folha de pagamento',
  'trial-balance': 'Balancete',
  'income-statement': 'DRE',
  certificate: 'Certidão',
  'power-of-attorney': 'Procuração',
  articles: 'Contrato social',
  contract: 'Contrato',
};
