/** What a client is told when their data cannot be read; the same on every screen. */
export const portalLoadErrorToast = {
  title: 'Erro de Conexão',
  description: 'Não foi possível carregar os dados do servidor.',
};
