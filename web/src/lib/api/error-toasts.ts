/** The toast for failed queries on every screen of the portal. */
export const portalLoadErrorToast = {
  title: 'Erro de Conexão',
  description: 'Não foi possível carregar os dados do servidor.',
};
